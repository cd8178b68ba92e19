import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { type ApiRequest, outcome } from "../../support/api.ts";
import { type Caller, type Kind, kinds, kindsOf, type Tokens } from "../../support/bad-requests.ts";
import { directApi } from "../../support/direct-api.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { sampleQuery } from "../../support/sample.ts";
import { stackWith } from "../../support/stack-with.ts";
import { operationTargets, type Target } from "../../support/targets.ts";
import { newTeam } from "../../support/teams.ts";
import { botsToken, providersToken } from "../../support/tokens.ts";
import { newUser } from "../../support/users.ts";

/**
 * One bad request of each kind for each operation, through its own function. The tests in test/contract have more cases
 * of requests that are refused before a handler is called.
 */

/** These tests concern answers only, so nothing is sent again or counted. */
const stack = await stackWith({ statistics: { sampleOneIn: null } });
const direct = { public: directApi(stack, "public"), internal: directApi(stack, "internal") };

let tokens: Tokens;

beforeAll(async () => {
  const [user, team] = await Promise.all([newUser({}, stack), newTeam({}, stack)]);
  tokens = {
    user: user.token,
    provider: await providersToken(stack),
    bot: await botsToken(stack),
    scim: await provisioningData(stack).newToken(team.id),
  };
  // Otherwise the first of these requests would be answered differently from those that follow.
  const { publicApi } = stack;
  await publicApi("DELETE", "/self", { token: user.token, json: {} });
  await publicApi("POST", "/conversations/self", { token: user.token });
});

/** A caller of one operation, who counts what was answered. */
function callerOf(target: Target) {
  const { route, audience, path } = target;
  const token = tokens[route.auth as keyof Tokens];
  let answers = 0;
  const counted = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const arrived = await answer;
    answers++;
    return arrived;
  };
  const caller: Caller = {
    target,
    tokens,
    send: ({ method = route.method, query = sampleQuery(route), isPublic = false, ...request } = {}) =>
      counted(direct[isPublic ? "public" : audience].api(method, path + query, { token, ...request })),
    sendPath: (written) =>
      counted(
        direct[audience].raw(route.method, written, {
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        }),
      ),
  };
  /** The number of requests answered since the last call. */
  const takeCount = () => {
    const count = answers;
    answers = 0;
    return count;
  };
  return { caller, takeCount };
}

/** Whether an operation waits for effects of other requests. */
const isWaiting = ({ operationId }: Target) => operationId === "i-refresh-index";
const asked = new Map<string, Kind[]>();

/** Problems with the answers of an operation, by kind of requests. */
async function problemsOf(target: Target) {
  const problems: Partial<Record<Kind, readonly string[]>> = {};
  const answered: Kind[] = [];
  const { caller, takeCount } = callerOf(target);
  for (const kind of kindsOf(target.route)) {
    const found = await kinds[kind](caller).catch((error: Error) => [error.message]);
    if (takeCount() > 0) answered.push(kind);
    if (found.length > 0) problems[kind] = found;
  }
  asked.set(target.operationId, answered);
  return Object.keys(problems).length > 0 ? [{ operation: target.name, problems }] : [];
}

describe.concurrent("each operation", () => {
  it.each(families)("of $name answers every kind of bad request as its row says", async ({ name }) => {
    const own = operationTargets.filter((target) => target.family === name && !isWaiting(target));
    const problems = [];
    for (const target of own) problems.push(...(await problemsOf(target)));
    expect(problems, JSON.stringify(problems)).toEqual([]);
  });
});

describe("the operations", () => {
  it("have each been sent every kind of bad request that their rows call for", () => {
    const lacking = operationTargets.flatMap((target) => {
      const missing = kindsOf(target.route).filter((kind) => !asked.get(target.operationId)?.includes(kind));
      return missing.length === 0 || isWaiting(target) ? [] : [{ operation: target.name, missing }];
    });
    expect(lacking).toEqual([]);
  });
});

describe.concurrent("over HTTP", () => {
  const json = { "content-type": "application/json" };
  const requests: Readonly<Record<string, ApiRequest>> = {
    "half an object": { body: "{", headers: json },
    "half of a compressed object": {
      body: gzipSync("{}").subarray(0, -9),
      headers: { ...json, "content-encoding": "gzip" },
    },
    "bytes without a content type": { body: Buffer.from("\xff\xfe", "latin1") },
    "a large body": { body: "x".repeat(2 * 1024 * 1024), headers: json },
    "a forged token": { token: "garbage" },
    "headers with other letters": { headers: { AUTHORIZATION: "Basic YTpi", "Content-Type": "Text/X" } },
  };
  const lookalikes = ["//self", "/self//", "/self%00", "/self%zz", "/self/%2e%2e/x"];
  const gateways = [
    ["public", stack.publicApi, stack.publicUrl],
    ["internal", stack.internalApi, stack.internalUrl],
  ] as const;

  it.each(gateways)("the %s API answers bad requests as its functions do", async (audience, overHttp) => {
    for (const [name, request] of Object.entries(requests)) {
      const sent = { token: tokens.user, ...request };
      const [answer, expected] = [
        await overHttp("PUT", "/self", sent),
        await direct[audience].api("PUT", "/self", sent),
      ];
      expect(outcome(answer), name).toBe(outcome(expected));
      expect([...answer.headers.keys()], name).toEqual(expect.arrayContaining([...expected.headers.keys()]));
    }
    const [answer, expected] = [
      await overHttp("PATCH", "/self"),
      await direct[audience].api("PATCH", "/self"),
    ];
    expect([outcome(answer), answer.headers.get("allow")]).toEqual([
      outcome(expected),
      expected.headers.get("allow"),
    ]);
  });

  it.each(gateways)("the %s API reads paths exactly as they were sent", async (audience, _, url) => {
    for (const path of lookalikes) {
      const [{ status }, expected] = [
        await rawRequest(url, "GET", path),
        await direct[audience].raw("GET", path),
      ];
      expect([path, status]).toEqual([path, expected.status]);
    }
  });

  it("a path that no operation has returns 404, however it is written", async () => {
    const paths = [
      "//",
      "/%",
      "/%00",
      "/%zz",
      "/x".repeat(2000),
      `/${"x".repeat(6000)}`,
      "/../..",
      "/\\",
      "/*",
    ];
    for (const path of paths) expect((await rawRequest(stack.publicUrl, "GET", path)).status, path).toBe(404);
  });

  it("a GET may have a body", async () => {
    const headers = { ...json, authorization: `Bearer ${tokens.user}` };
    const { status } = await rawRequest(stack.publicUrl, "GET", "/self", { headers, body: "{" });
    expect(status).toBe(200);
  });
});
