import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { assetPath, download, sendUpload, upload } from "../../support/assets.ts";
import { switchLegalHold } from "../../support/legal-hold.ts";
import { newApp, newTokens } from "../../support/oauth.ts";
import { newPushToken, registerPushToken, removePushToken } from "../../support/push-tokens.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

let ada: User;
let key: string;
beforeAll(async () => {
  ada = await newUser();
  ({ key } = await upload(ada));
});

/** The outcome of each call that changes assets or push tokens. */
async function changesBy(token: string): Promise<string[]> {
  const pushToken = newPushToken();
  const answers = [
    await sendUpload(token),
    await sendUpload(token, {}, "/v1/assets/v3"),
    await api("POST", `/v8/assets/${key}/token`, { token }),
    await api("DELETE", `/v8/assets/${key}/token`, { token }),
    await api("DELETE", assetPath(key), { token }),
    await registerPushToken({ token }, pushToken),
    await api("GET", "/push/tokens", { token }),
    await removePushToken({ token }, pushToken.token),
  ];
  return [...new Set(answers.map(outcome))];
}

describe.concurrent("assets and push tokens", () => {
  it("are closed to apps, whatever their scopes", async () => {
    const tokens = await newTokens(await newApp(), ada, { scope: "read:self write:conversations" });
    const token = tokens.access_token;
    expect(await changesBy(token)).toEqual(["403 access-denied"]);
    expect(outcome(await download({ token }, key))).toBe("403 access-denied");
  });

  it("are closed to the legal hold device, except for reading what its user may read", async () => {
    const team = await newTeam();
    await switchLegalHold(team, "enabled");
    const { id, password } = team.owner;
    const login = await internalApi("POST", "/i/legalhold-login", { json: { user: id, password } });
    const token = login.body.access_token;
    expect(await changesBy(token)).toEqual(["403 access-denied"]);
    const own = await upload(team.owner);
    expect((await download({ token }, own.key)).status).toBe(302);
    const stranger = await upload(await newUser());
    expect(outcome(await download({ token }, stranger.key))).toBe("404 not-found");
    expect((await download({ token }, stranger.key, { header: stranger.token })).status).toBe(302);
  });

  it("do not accept a cookie in place of a token", async () => {
    expect(await changesBy(ada.cookie)).toEqual(["403 access-denied"]);
  });
});
