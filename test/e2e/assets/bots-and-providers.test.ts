import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { download, fetchBytes, locationOf, sendUpload, upload } from "../../support/assets.ts";
import { newProvider } from "../../support/providers.ts";
import { newService, serviceData } from "../../support/services.ts";
import { botsToken, signedServiceToken } from "../../support/tokens.ts";
import { newUser } from "../../support/users.ts";

/** Token of a bot that has an account and a service, and nothing else. */
async function newBotToken(): Promise<string> {
  const service = await newService(await serviceData().newProvider());
  const { id } = await newUser({ provisioned: { service: { id: service.id, provider: service.provider } } });
  return signedServiceToken({
    type: "bot",
    providerId: service.provider,
    botId: id,
    conversationId: randomUUID(),
  });
}

const callers = [
  ["/bot/assets", newBotToken],
  ["/provider/assets", async () => (await newProvider()).token],
] as const;

const spellings = callers.flatMap(([path, newToken]) =>
  ["", "/v0", "/v1", "/v2", "/v8", "/v9"].map((prefix) => [prefix + path, path, newToken] as const),
);

describe.concurrent("assets of bots and providers", () => {
  it.each(spellings)("are uploaded, read and deleted at %s", async (path, folder, newToken) => {
    const token = await newToken();
    const { status, body, headers } = await sendUpload(token, { content: "beep" }, path);
    expect(status).toBe(201);
    const { key, domain, token: assetToken } = body;
    expect(body).toEqual({
      key: expect.stringMatching(/^3-2-/),
      domain,
      token: expect.stringMatching(/^.{22}==$/),
    });
    expect(headers.get("location")).toBe(`${folder}/${key}`);

    const read = await api("GET", `${path}/${key}`, { token });
    expect(read.status).toBe(302);
    expect(String((await fetchBytes(locationOf(read))).bytes)).toBe("beep");
    const user = await newUser();
    expect(outcome(await download(user, key))).toBe("404 not-found");
    expect(outcome(await download(user, key, { header: assetToken }))).toBe("302");

    expect(outcome(await api("DELETE", `${path}/${key}`, { token }))).toBe("200");
    expect(outcome(await api("DELETE", `${path}/${key}`, { token }))).toBe("404 not-found");
    expect(outcome(await internalApi("GET", `/i/assets/${key}`))).toBe("404 not-found");
  });

  it.each(callers)(
    "at %s of others can be read with their token only, and deleted only by their owners",
    async (path, newToken) => {
      const [token, user] = [await newToken(), await newUser()];
      const { key, token: assetToken } = await upload(user);
      const read = (headers: Record<string, string> = {}, query = "") =>
        api("GET", `${path}/${key}${query}`, { token, headers });
      expect(outcome(await read())).toBe("404 not-found");
      expect(outcome(await read({ "asset-token": assetToken }, "?asset_token=wrong"))).toBe("302");
      expect(outcome(await read({}, "?asset_token=wrong"))).toBe("404 not-found");
      expect(outcome(await api("DELETE", `${path}/${key}`, { token }))).toBe("403 unauthorised");
      expect(outcome(await api("GET", `${path}/3-9-${randomUUID()}`, { token }))).toBe("404 not-found");
      expect(outcome(await api("POST", `${path}/${key}/token`, { token }))).toBe("404 no-endpoint");
    },
  );

  it("do not belong to a user who has the id of a bot", async () => {
    const { id, token } = await newUser();
    const { key } = await upload({ token });
    const botToken = await signedServiceToken({
      type: "bot",
      providerId: randomUUID(),
      botId: id,
      conversationId: randomUUID(),
    });
    expect(outcome(await api("GET", `/bot/assets/${key}`, { token: botToken }))).toBe("404 not-found");
    expect(outcome(await api("DELETE", `/bot/assets/${key}`, { token: botToken }))).toBe("403 access-denied");
  });

  it("are closed to a removed bot whose token is still valid", async () => {
    const token = await botsToken();
    const { key } = await upload(await newUser(), { options: { public: true } });
    expect(outcome(await sendUpload(token, {}, "/bot/assets"))).toBe("403 access-denied");
    expect(outcome(await api("GET", `/bot/assets/${key}`, { token }))).toBe("404 not-found");
    expect(outcome(await api("DELETE", `/bot/assets/${key}`, { token }))).toBe("403 access-denied");
  });
});
