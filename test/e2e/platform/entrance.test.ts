import { beforeAll, describe, expect, it } from "vitest";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";

/** The event of a function for a request that reaches API Gateway by its own address. */
const requestEvent = (rawPath: string, headers: Record<string, string> = {}, isInternal = false) => ({
  version: "2.0",
  rawPath,
  rawQueryString: "",
  headers,
  requestContext: {
    requestId: "of-the-test",
    http: { method: "GET", path: rawPath, sourceIp: "203.0.113.1" },
    ...(isInternal && { authorizer: { iam: { userArn: "arn:aws:iam::000000000000:user/test" } } }),
  },
  isBase64Encoded: false,
});

describe("a function behind an entrance", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith();
  });

  it("answers requests that come through it", async () => {
    expect((await stack.publicApi("GET", "/api-version")).status).toBe(200);
  });

  it.each<Record<string, string>>([{}, { "x-entrance-secret": "guessed" }])(
    "refuses a request that bypasses it, with headers %j",
    async (headers) => {
      for (const path of ["/api-version", "/nothing", "/v99/self"]) {
        const answer = await stack.invoke("api-info", requestEvent(path, headers));
        expect(answer).toMatchObject({
          statusCode: 403,
          body: expect.stringContaining('"label":"forbidden"'),
        });
      }
    },
  );

  it("refuses a handshake that bypasses it, before reading any token", async () => {
    const headers = { "X-Entrance-Secret": "guessed", Authorization: "Bearer none" };
    const requestContext = { routeKey: "$connect", connectionId: "of-the-test", requestId: "of-the-test" };
    expect(await stack.invoke("websocket", { headers, requestContext })).toEqual({ statusCode: 403 });
  });

  it("answers requests to the internal API, which has no entrance", async () => {
    const answer = await stack.invoke("api-info", requestEvent("/i/status", {}, true));
    expect(answer).toMatchObject({ statusCode: 200 });
  });
});
