import { expect, it } from "vitest";
import type { SecretReader } from "#shared/auth/secret-reader.ts";
import { parseSettings } from "#shared/settings.ts";
import { iceServersFor } from "./ice-servers.ts";

const secrets: Pick<SecretReader, "text"> = { text: async () => "a shared secret" };

it.each([{}, { limit: 3 }, { isLegacy: true }])(
  "Without TURN servers there is no call configuration (%j)",
  async (wish) => {
    const deps = { clock: Date.now, secrets, settings: parseSettings({}) };
    const asking = iceServersFor(deps, "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4", wish);
    await expect(asking).rejects.toMatchObject({ error: "no-call-servers" });
  },
);
