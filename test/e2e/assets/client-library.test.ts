import { APIClient } from "@wireapp/api-client";
import { AssetRetentionPolicy } from "@wireapp/api-client/lib/asset/AssetRetentionPolicy.js";
import { ClientType } from "@wireapp/api-client/lib/client/index.js";
import { describe, expect, it } from "vitest";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

/** The library takes only domains with a dot and letters after it. */
const domain = "parley.example";

describe("the public client library", () => {
  it.each([1, 6])("uploads and downloads assets in version %i, private and public ones", async (version) => {
    const stack = await stackWith({ domain });
    const newClient = async () => {
      const user = await newUser({}, stack);
      const client = new APIClient({
        urls: { name: "local", rest: stack.publicUrl, ws: stack.publicUrl.replace("http", "ws") },
      });
      await client.useVersion(version, version);
      await client.login({ email: user.email, password: user.password, clientType: ClientType.PERMANENT });
      return client.api.asset;
    };
    // One after the other: the library keeps one cookie for all of its clients.
    const ada = await newClient();
    const content = new Uint8Array(Array.from({ length: 100_000 }, (_, index) => index % 251));
    const secret = await ada.postAsset(content, {
      public: false,
      retention: AssetRetentionPolicy.VOLATILE,
    }).response;
    const open = await ada.postAsset(content).response;
    expect(secret).toMatchObject({ domain, token: expect.any(String), expires: expect.any(String) });
    expect(open).not.toHaveProperty("token");

    const ben = await newClient();
    for (const { key, token } of [secret, open]) {
      const { buffer, mimeType } = await ben.getAssetV4(key, domain, token).response;
      expect(Buffer.from(buffer).equals(content)).toBe(true);
      expect(mimeType).toBe("application/octet-stream");
      if (version < 2)
        expect(Buffer.from((await ben.getAssetV3(key, token).response).buffer).equals(content)).toBe(true);
    }
    await expect(ben.getAssetV4(secret.key, domain).response).rejects.toMatchObject({
      response: { status: 404 },
    });
  });
});
