import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { assetPath, mixed, uploadBody } from "../../support/assets.ts";
import { requestConnection, updateConnection } from "../../support/connections.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type Fault, withLostAnswers } from "../../support/faults.ts";
import { nextMessage, wrongCode } from "../../support/messages.ts";
import { newApp, newCode, newTokens, redeem, refresh } from "../../support/oauth.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newPushToken, pushTokensOf, registerPushToken, removePushToken } from "../../support/push-tokens.ts";
import { activationCode, logIn, newEmail, newUser, register } from "../../support/users.ts";

const stack = await stackWith();

const { publicApi, internalApi } = stack;
const activate = (json: object) => publicApi("POST", "/activate", { json });

it("exchanges an authorization code although DynamoDB's answers get lost", async () => {
  const [app, user] = await Promise.all([newApp({}, stack), newUser({}, stack)]);
  const code = await withLostAnswers(() => newCode(app, user, {}, stack));
  const answer = await withLostAnswers(() => redeem(app, code, {}, stack));
  expect(outcome(answer)).toBe("200");
  expect(outcome(await refresh(app, answer.body.refresh_token, {}, stack))).toBe("200");
  expect(outcome(await redeem(app, code, {}, stack))).toBe("404 not-found");
});

it("refreshes and revokes an app's access although DynamoDB's answers get lost", async () => {
  const [app, user] = await Promise.all([newApp({}, stack), newUser({}, stack)]);
  const tokens = await newTokens(app, user, {}, stack);
  const refreshed = await withLostAnswers(() => refresh(app, tokens.refresh_token, {}, stack));
  expect(outcome(refreshed)).toBe("200");
  const json = { client_id: app.client_id, refresh_token: refreshed.body.refresh_token };
  expect(outcome(await withLostAnswers(() => publicApi("POST", "/v8/oauth/revoke", { json })))).toBe("200");
  expect(outcome(await refresh(app, refreshed.body.refresh_token, {}, stack))).toBe("403 forbidden");
});

it("creates, changes and removes an app although DynamoDB's answers get lost", async () => {
  const json = { application_name: "Calendar", redirect_url: "https://app.example.com/callback" };
  const created = await withLostAnswers(() => internalApi("POST", "/i/oauth/clients", { json }));
  expect(outcome(created)).toBe("200");
  const { client_id, client_secret } = created.body;
  const path = `/i/oauth/clients/${client_id}`;
  expect(outcome(await withLostAnswers(() => internalApi("PUT", path, { json })))).toBe("200");
  const rotated = await withLostAnswers(() => internalApi("POST", `${path}/secret`));
  const user = await newUser({}, stack);
  for (const secret of [client_secret, rotated.body.client_secret]) {
    const app = { ...created.body, redirect_url: json.redirect_url };
    const answer = await redeem(app, await newCode(app, user, {}, stack), { client_secret: secret }, stack);
    expect(outcome(answer)).toBe("200");
  }
  expect(outcome(await withLostAnswers(() => internalApi("DELETE", path)))).toBe("200");
  expect(outcome(await internalApi("GET", path))).toBe("404 not-found");
});

it("logs in and out although DynamoDB's answers get lost", async () => {
  const user = await newUser({}, stack);
  const login = await withLostAnswers(() => logIn(user, { apis: stack }));
  expect(outcome(login)).toBe("200");
  const session = { token: login.body.access_token, cookie: login.cookie ?? "" };
  const logout = await withLostAnswers(() => publicApi("POST", "/access/logout", session));
  expect(outcome(logout)).toBe("200");
  expect(outcome(await publicApi("POST", "/access", session))).toBe("403 invalid-credentials");
});

it("ends no other session below the limit although DynamoDB's answers get lost", async () => {
  const limited = await stackWith({ setUserCookieLimit: 3 });
  const user = await newUser({}, limited);
  const list = async () => (await limited.publicApi("GET", "/cookies", user)).body.cookies;
  const before = await list();
  while ((await list()).length < 2) await logIn(user, { apis: limited });
  const login = await withLostAnswers(() => logIn(user, { apis: limited }));
  expect(outcome(login)).toBe("200");
  expect(await list()).toHaveLength(3);
  expect(await list()).toEqual(expect.arrayContaining(before));
});

it("sends a mail immediately although DynamoDB's answers get lost", async () => {
  const email = newEmail();
  const message = await withLostAnswers(async () => {
    await register({ email, password: randomUUID() }, stack);
    return nextMessage(email);
  });
  expect(message.to).toBe(email);
});

it("counts each attempt at a code once although DynamoDB's answers get lost", async () => {
  const email = newEmail();
  const registered = await withLostAnswers(() => register({ email, password: randomUUID() }, stack));
  expect(outcome(registered)).toBe("201");
  const { code } = await activationCode({ email }, stack);
  for (const distance of [0, 1]) {
    const guess = { email, code: wrongCode(code, distance) };
    expect(outcome(await withLostAnswers(() => activate(guess)))).toBe("404 invalid-code");
  }
  const dryRun = { email, code, dryrun: true };
  for (const _ of [1, 2]) expect(outcome(await withLostAnswers(() => activate(dryRun)))).toBe("200");
  expect(outcome(await activate({ email, code: wrongCode(code, 2) }))).toBe("404 invalid-code");
  expect(outcome(await activate({ email, code }))).toBe("404 invalid-code");
});

it("activates an account with the third attempt although DynamoDB's answers get lost", async () => {
  const email = newEmail();
  await register({ email, password: randomUUID() }, stack);
  const { code } = await activationCode({ email }, stack);
  for (const distance of [0, 1]) await activate({ email, code: wrongCode(code, distance) });
  expect(outcome(await withLostAnswers(() => activate({ email, code })))).toBe("200");
});

it("uploads, changes and deletes an asset although DynamoDB's answers get lost", async () => {
  const { token } = await newUser({}, stack);
  const upload = { token, headers: mixed, body: uploadBody() };
  const uploaded = await withLostAnswers(() => publicApi("POST", "/v8/assets", upload));
  expect(outcome(uploaded)).toBe("201");
  const { key } = uploaded.body;
  for (const method of ["POST", "DELETE"])
    expect(
      outcome(await withLostAnswers(() => publicApi(method, `/v8/assets/${key}/token`, { token }))),
    ).toBe("200");
  const remove = () => publicApi("DELETE", assetPath(key), { token });
  expect(outcome(await withLostAnswers(remove))).toBe("200");
  expect(outcome(await remove())).toBe("404 not-found");
});

it("registers and removes a push token although DynamoDB's answers get lost", async () => {
  const user = await newUser({}, stack);
  const pushToken = newPushToken();
  expect(outcome(await withLostAnswers(() => registerPushToken(user, pushToken, stack)))).toBe("201");
  expect(await pushTokensOf(user, stack)).toEqual([pushToken]);
  const remove = () => removePushToken(user, pushToken.token, stack);
  expect(outcome(await withLostAnswers(remove))).toBe("204");
  expect(outcome(await remove())).toBe("404 not-found");
});

describe.each([
  ["conflicts with others", ["conflicts"]],
  ["fails until the SDK gives up", ["failed", "failed"]],
  ["loses its answer until the SDK gives up", ["answer-lost", "throttled"]],
] satisfies [string, Fault[]][])("when a transaction is repeated and %s", (_, repetitions) => {
  it("connects two users, and tells each of them once about each step", async () => {
    const [user, peer] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const asked = await withLostAnswers(() => requestConnection(user, peer, stack), { repetitions });
    expect(outcome(asked)).toBe("201");
    const accepting = () => updateConnection(peer, user, "accepted", stack);
    expect(outcome(await withLostAnswers(accepting, { repetitions }))).toBe("200");
    const statusesOf = async ({ token }: { token: string }) =>
      (await storedEvents(token, "user.connection", publicApi)).map(
        ({ connection }) => (connection as { status: string }).status,
      );
    await eventually(async () => {
      expect(await statusesOf(user)).toEqual(["sent", "accepted"]);
      expect(await statusesOf(peer)).toEqual(["pending", "accepted"]);
    });
  });
});
