import { describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { type Api, api, outcome } from "../../support/api.ts";
import { newApp, newAuthorization, newCode, newTokens, pkce, redeem, refresh } from "../../support/oauth.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

const own = await stackWith(
  {
    setOAuthMaxActiveRefreshTokens: 3,
    setOAuthRefreshTokenReuseGraceSecs: 10,
    setOAuthRefreshTokenExpirationTimeSecs: 86_400,
  },
  { isClockStopped: true },
);
const outcomesOf = (answers: { status: number; body: unknown }[]) => answers.map(outcome).sort();
const twentyTimes = <Result>(task: () => Promise<Result>) => Promise.all(Array.from({ length: 20 }, task));
const self = (token: string, publicApi: Api = api) => publicApi("GET", "/self", { token });

describe("an app that repeats a refresh because the response was lost", () => {
  const repeatable = () =>
    stackWith(
      { setOAuthRefreshTokenReuseAnswered: true, setOAuthRefreshTokenReuseGraceSecs: 10 },
      { isClockStopped: true },
    );

  it("is only refused by default, and its new refresh token stays valid", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    const lost = await refresh(app, tokens.refresh_token, {}, own);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, own))).toBe("403 forbidden");
    expect(outcome(await refresh(app, lost.body.refresh_token, {}, own))).toBe("200");
  });

  it("does not count as a thief when the database answers the repetition only after the grace period", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    const lost = await refresh(app, tokens.refresh_token, {}, own);
    const endDelays = interceptAwsCalls(({ action }, send) => {
      if (action === "BatchGetItem") own.advance(11);
      return send();
    });
    const repeated = await refresh(app, tokens.refresh_token, {}, own).finally(endDelays);
    expect(outcome(repeated)).toBe("403 forbidden");
    expect(outcome(await refresh(app, lost.body.refresh_token, {}, own))).toBe("200");
  });

  it("gets the same refresh token again if the operator allows it, even 20 times concurrently", async () => {
    const stack = await repeatable();
    const { app, user, tokens } = await newAuthorization({}, stack);
    const answers = await twentyTimes(() => refresh(app, tokens.refresh_token, {}, stack));
    expect(new Set(answers.map(outcome))).toEqual(new Set(["200"]));
    const [next, ...others] = new Set(answers.map(({ body }) => body.refresh_token));
    expect(others).toEqual([]);
    for (const { body } of answers.slice(0, 3)) {
      expect((await self(body.access_token, stack.publicApi)).body.id).toBe(user.id);
    }
    const { body } = await stack.publicApi("GET", "/v8/oauth/applications", { token: user.token });
    expect(body[0].sessions).toHaveLength(1);
    expect(outcome(await refresh(app, next, {}, stack))).toBe("200");
  });

  it("is refused once the new refresh token has been used, and the grant ends", async () => {
    const stack = await repeatable();
    const { app, tokens } = await newAuthorization({}, stack);
    const { body: second } = await refresh(app, tokens.refresh_token, {}, stack);
    const { body: third } = await refresh(app, second.refresh_token, {}, stack);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, stack))).toBe("403 forbidden");
    expect(outcome(await refresh(app, third.refresh_token, {}, stack))).toBe("403 forbidden");
  });

  it("is refused after the grace period, and the grant ends", async () => {
    const stack = await repeatable();
    const { app, tokens } = await newAuthorization({}, stack);
    const { body: second } = await refresh(app, tokens.refresh_token, {}, stack);
    stack.advance(11);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, stack))).toBe("403 forbidden");
    expect(outcome(await refresh(app, second.refresh_token, {}, stack))).toBe("403 forbidden");
  });

  it("is refused after the user has revoked its access, or was suspended", async () => {
    const stack = await repeatable();
    const [{ app, user, tokens }, other] = await Promise.all([
      newAuthorization({}, stack),
      newAuthorization({}, stack),
    ]);
    await refresh(app, tokens.refresh_token, {}, stack);
    const path = `/v8/oauth/applications/${app.client_id}/sessions`;
    const json = { password: user.password };
    expect(outcome(await stack.publicApi("DELETE", path, { token: user.token, json }))).toBe("204");
    expect(outcome(await refresh(app, tokens.refresh_token, {}, stack))).toBe("403 forbidden");

    await refresh(other.app, other.tokens.refresh_token, {}, stack);
    const suspended = { json: { status: "suspended" } };
    await stack.internalApi("PUT", `/i/users/${other.user.id}/status`, suspended);
    expect(outcome(await refresh(other.app, other.tokens.refresh_token, {}, stack))).toBe("403 forbidden");
  });
});

describe("OAuth over time", () => {
  it("refuses an expired code with 404 not-found", async () => {
    const [app, user] = await Promise.all([newApp({}, own), newUser({}, own)]);
    const code = await newCode(app, user, {}, own);
    own.advance(301);
    expect(outcome(await redeem(app, code, {}, own))).toBe("404 not-found");
  });

  it("revokes the grant when an old refresh token is used after the grace period", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    const { body: second } = await refresh(app, tokens.refresh_token, {}, own);
    own.advance(11);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, own))).toBe("403 forbidden");
    expect(outcome(await refresh(app, second.refresh_token, {}, own))).toBe("403 forbidden");
  });

  it("refuses an expired refresh token", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    own.advance(86_401);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, own))).toBe("403 forbidden");
  });

  it("removes the oldest grants beyond the maximum, even for 10 concurrent codes", async () => {
    const [app, user] = await Promise.all([newApp({}, own), newUser({}, own)]);
    const first = await newTokens(app, user, {}, own);
    own.advance(1);
    const codes = await Promise.all(Array.from({ length: 10 }, () => newCode(app, user, {}, own)));
    const later = await Promise.all(codes.map((code) => redeem(app, code, {}, own)));
    const { body } = await own.publicApi("GET", "/v8/oauth/applications", { token: user.token });

    expect(outcomesOf(later)).toEqual(Array(10).fill("200"));
    expect(outcome(await refresh(app, first.refresh_token, {}, own))).toBe("403 forbidden");
    expect(body[0].sessions).toHaveLength(3);
  });

  it("accepts an app's old secret for a while after it is replaced", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    const path = `/i/oauth/clients/${app.client_id}/secret`;
    const { body } = await own.internalApi("POST", path);
    const first = await refresh(app, tokens.refresh_token, { client_secret: app.client_secret }, own);
    const second = await refresh(app, first.body.refresh_token, { client_secret: body.client_secret }, own);
    const user = await newUser({}, own);
    own.advance(86_401);
    const code = { code: "0".repeat(64), verifier: pkce().verifier };

    expect(outcomesOf([first, second])).toEqual(["200", "200"]);
    expect(user.token).toBeDefined();
    const late = await refresh(app, second.body.refresh_token, { client_secret: app.client_secret }, own);
    expect(outcome(late)).toBe("403 forbidden");
    expect(outcome(await redeem(app, code, {}, own))).toBe("404 not-found");
  });

  it("refuses an expired access token", async () => {
    const { tokens } = await newAuthorization({}, own);
    own.advance(280);
    expect(outcome(await self(tokens.access_token, own.publicApi))).toBe("200");
    own.advance(24);
    expect(outcome(await self(tokens.access_token, own.publicApi))).toBe("401 unauthorized");
  });
});
