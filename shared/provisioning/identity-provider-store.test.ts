import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { IdentityProviderStore } from "./identity-provider-store.ts";

const config = { tableName: (name: string) => `test-${name}`, settings: parseSettings({}) } as Config;
const providers = new IdentityProviderStore({ dynamo: createDynamo(), config, clock: systemClock });

it("releasing an issuer is a stale read when another change has already freed it", async () => {
  const issuer = `https://idp-${randomUUID()}.example.com/metadata`;
  await expect(providers.releaseIssuer({ issuer })).rejects.toThrow(StaleReadError);
});
