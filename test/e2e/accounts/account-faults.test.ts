import { expect } from "vitest";
import { outcome } from "../../support/api.ts";
import { assetPath, mixed } from "../../support/assets.ts";
import { localDomain } from "../../support/connections.ts";
import { eventually } from "../../support/eventually.ts";
import { describeFlows } from "../../support/fault-flows.ts";
import { type FaultRow, fileFaults, isOfFault, lostAnswers } from "../../support/faults.ts";
import { newMlsDevice, referenceOf } from "../../support/key-packages.ts";
import { nextMessage, wrongCode } from "../../support/messages.ts";
import { newApp, newCode, newTokens, redeem, refresh } from "../../support/oauth.ts";
import { newPushToken, pushTokensOf, registerPushToken, removePushToken } from "../../support/push-tokens.ts";
import { stackWith } from "../../support/stack-with.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { activationCode, logIn, newEmail, newUser, register, somePassword } from "../../support/users.ts";

// Without sweeps of the outbox, so a mail is sent either immediately or late.
const stack = await stackWith({}, { expectsError: isOfFault });
const limited = await stackWith({ setUserCookieLimit: 3 }, { expectsError: isOfFault });
const { publicApi, internalApi } = stack;
const activate = (json: object) => publicApi("POST", "/activate", { json });

/** A new account's address, and the code that activates it. */
async function newInactive() {
  const email = newEmail();
  expect(outcome(await register({ email, password: somePassword }, stack))).toBe("201");
  return { email, ...(await activationCode({ email }, stack)) };
}

describeFlows("a client, although answers of DynamoDB and S3 get lost,", [lostAnswers, ...fileFaults], {
  "exchanges an authorization code, once": async () => {
    const [app, user] = await Promise.all([newApp({}, stack), newUser({}, stack)]);
    return async (client) => {
      const code = await eventually(() => newCode(app, user, {}, stack));
      const { body } = await client.send(() => redeem(app, code, {}, stack), "200");
      return async () => {
        expect(outcome(await refresh(app, body.refresh_token, {}, stack))).toBe("200");
        expect(outcome(await redeem(app, code, {}, stack))).toBe("404 not-found");
      };
    };
  },

  "refreshes and revokes an app's access": async () => {
    const [app, user] = await Promise.all([newApp({}, stack), newUser({}, stack)]);
    const tokens = await newTokens(app, user, {}, stack);
    return async (client) => {
      const { body } = await client.send(() => refresh(app, tokens.refresh_token, {}, stack), "200");
      const json = { client_id: app.client_id, refresh_token: body.refresh_token };
      await client.send(() => publicApi("POST", "/v8/oauth/revoke", { json }), "200");
      return async () =>
        expect(outcome(await refresh(app, body.refresh_token, {}, stack))).toBe("403 forbidden");
    };
  },

  "creates, changes and removes an app": async () => {
    const json = { application_name: "Calendar", redirect_url: "https://app.example.com/callback" };
    const user = await newUser({}, stack);
    return async (client) => {
      const created = await client.send(() => internalApi("POST", "/i/oauth/clients", { json }), "200");
      const { client_id, client_secret } = created.body;
      const path = `/i/oauth/clients/${client_id}`;
      await client.send(() => internalApi("PUT", path, { json }), "200");
      const rotated = await client.send(() => internalApi("POST", `${path}/secret`), "200");
      const app = { ...created.body, redirect_url: json.redirect_url };
      for (const secret of [client_secret, rotated.body.client_secret]) {
        const code = await eventually(() => newCode(app, user, {}, stack));
        await client.send(() => redeem(app, code, { client_secret: secret }, stack), "200");
      }
      await client.send(() => internalApi("DELETE", path), "200", "404 not-found");
      return async () => expect(outcome(await internalApi("GET", path))).toBe("404 not-found");
    };
  },

  "logs in and out": async () => {
    const user = await newUser({}, stack);
    return async (client) => {
      const login = await client.send(() => logIn(user, { apis: stack }), "200");
      const session = { token: login.body.access_token, cookie: login.cookie ?? "" };
      await client.send(() => publicApi("POST", "/access/logout", session), "200");
      return async () =>
        expect(outcome(await publicApi("POST", "/access", session))).toBe("403 invalid-credentials");
    };
  },

  "ends no other session below the limit of sessions": async () => {
    const user = await newUser({}, limited);
    const list = async () => (await limited.publicApi("GET", "/cookies", user)).body.cookies;
    while ((await list()).length < 2) await logIn(user, { apis: limited });
    const before = await list();
    return async (client) => {
      await client.send(() => logIn(user, { apis: limited }), "200");
      return async () => {
        expect(await list()).toHaveLength(3);
        if (!client.hasRepeated) expect(await list()).toEqual(expect.arrayContaining(before));
      };
    };
  },

  "gets a mail immediately": async () => async (client) => {
    const email = newEmail();
    await client.send(() => register({ email, password: somePassword }, stack), "201");
    return async () => expect((await nextMessage(email)).to).toBe(email);
  },

  "uses up one attempt at a code with each wrong one, and none with a dry run": async () => {
    const { email, code } = await newInactive();
    const wrong = (distance: number) => ({ email, code: wrongCode(code, distance) });
    return async (client) => {
      for (const distance of [0, 1]) await client.send(() => activate(wrong(distance)), "404 invalid-code");
      for (const _ of [1, 2]) await client.send(() => activate({ email, code, dryrun: true }), "200");
      return async () => {
        if (!client.hasRepeated) expect(outcome(await activate({ email, code, dryrun: true }))).toBe("200");
        expect(outcome(await activate(wrong(2)))).toBe("404 invalid-code");
        expect(outcome(await activate({ email, code }))).toBe("404 invalid-code");
      };
    };
  },

  "activates an account with the third attempt": async () => {
    const { email, code } = await newInactive();
    for (const distance of [0, 1]) await activate({ email, code: wrongCode(code, distance) });
    return async (client) => {
      await client.send(() => activate({ email, code }), "200", "204", "404 invalid-code");
      return async () => {
        if (client.hasRepeated) return;
        expect(outcome(await logIn({ email, password: somePassword }, { apis: stack }))).toBe("200");
      };
    };
  },

  "uploads, changes and deletes an asset": async () => {
    const { token } = await newUser({}, stack);
    return async (client) => {
      const upload = async (content: string) => {
        const request = { token, headers: mixed, body: uploadBody({ content }) };
        return (await client.send(() => publicApi("POST", "/v8/assets", request), "201")).body;
      };
      const [small, large] = [await upload("small"), await upload("x".repeat(3_000_000))];
      const dropped = await upload("dropped");
      for (const method of ["POST", "DELETE"])
        await client.send(() => publicApi(method, `/v8/assets/${dropped.key}/token`, { token }), "200");
      const path = assetPath(dropped.key);
      await client.send(() => publicApi("DELETE", path, { token }), "200", "404 not-found");
      const lengthOf = async (asset: { key: string; token: string }) => {
        const headers = { "asset-token": asset.token };
        const answer = await publicApi("GET", assetPath(asset.key), { token, headers });
        return (await (await fetch(answer.headers.get("location") ?? "")).text()).length;
      };
      return async () => {
        expect([await lengthOf(small), await lengthOf(large)]).toEqual([5, 3_000_000]);
        expect(outcome(await publicApi("DELETE", path, { token }))).toBe("404 not-found");
      };
    };
  },

  "registers and removes a push token": async () => {
    const [user, kept, dropped] = [await newUser({}, stack), newPushToken(), newPushToken()];
    return async (client) => {
      for (const one of [kept, dropped])
        await client.send(() => registerPushToken(user, one, stack), "201", "200");
      const remove = () => removePushToken(user, dropped.token, stack);
      await client.send(remove, "204", "404 not-found");
      return async () => {
        expect(await pushTokensOf(user, stack)).toEqual([kept]);
        expect(outcome(await remove())).toBe("404 not-found");
      };
    };
  },
});

// If the answer to each write got lost, all packages would be used up.
const someFaults: FaultRow = {
  service: "dynamodb",
  faults: ["answer-lost", "failed", "throttled"],
  share: 0.2,
  every: 4,
};

describeFlows("the owner of a device, while DynamoDB fails,", [someFaults], {
  "gives each of several users another key package of a device": async () => {
    const owner = await newUser({}, stack);
    const claimers = await Promise.all(Array.from({ length: 3 }, () => newUser({}, stack)));
    const device = await newMlsDevice(owner, stack);
    const { token } = device;
    const packages = await Promise.all(Array.from({ length: 8 }, () => device.make()));
    const references = await Promise.all(
      packages.map(async (text) => (await referenceOf(Buffer.from(text, "base64"))).toString("base64")),
    );
    const path = `/v8/mls/key-packages/self/${device.clientId}`;
    return async (client) => {
      const json = { key_packages: packages };
      await client.send(() => publicApi("POST", path, { token, json }), "201");
      const claim = `/v8/mls/key-packages/claim/${localDomain}/${owner.id}?ciphersuite=0x0001`;
      const claimed: string[] = [];
      for (const claimer of claimers) {
        const { body } = await client.send(() => publicApi("POST", claim, { token: claimer.token }), "200");
        claimed.push(...body.key_packages.map((one: { key_package_ref: string }) => one.key_package_ref));
      }
      return async () => {
        expect(new Set(claimed).size).toBe(claimers.length);
        expect(references).toEqual(expect.arrayContaining(claimed));
        const { body } = await publicApi("GET", `${path}/count?ciphersuite=0x0001`, { token });
        // A package whose answer got lost is used up, rather than given to two.
        expect(body.count).toBeLessThanOrEqual(packages.length - claimers.length);
      };
    };
  },
});
