import { expect, it } from "vitest";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { iceServersFor } from "./ice-servers.ts";

const secrets: Pick<SecretReader, "text"> = { text: async () => "a shared secret" };

it.each([{}, { limit: 3 }, { isLegacy: true }])(
  "listing TURN servers throws no-call-servers when no TURN servers are configured (%j)",
  async (request) => {
    const deps = { clock: Date.now, secrets, settings: parseSettings({}) };
    const configuration = iceServersFor(deps, "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4", request);
    await expect(configuration).rejects.toMatchObject({ error: "no-call-servers" });
  },
);
