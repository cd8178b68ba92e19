import type { Context } from "aws-lambda";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { createApiFunction } from "./api-function.ts";

const config = { settings: parseSettings({}), logLevel: "CRITICAL" } as Config;
const family: Family = {
  domain: "people",
  name: "neighbours",
  summary: "People next door",
  routes: {
    "get-neighbours": {
      method: "GET",
      path: "/neighbours",
      auth: "user",
      errorFormat: "page",
      summary: "List the neighbours",
      responses: { 200: null },
      errors: [],
    },
  },
};

it("a family without a dependency of its routes fails with its name", () => {
  const createFamily = () =>
    createApiFunction(
      { family, createDeps: () => ({ verifier: undefined }), createHandlers: () => ({}) },
      config,
    );
  expect(createFamily).toThrow(
    "functions/people/neighbours/deps.ts lacks ...verifiers and describeRefusal, which its routes need",
  );
});

describe("an operation for directories", () => {
  const token = Buffer.alloc(32, "scim").toString("base64");
  const handle = createApiFunction(
    {
      family: {
        domain: "provisioning",
        name: "things",
        summary: "Things of a directory",
        routes: {
          "scim-get-things": {
            method: "GET",
            path: "/scim/v2/Things",
            auth: "scim",
            errorFormat: "scim",
            summary: "List the things",
            responses: { 200: null },
            errors: [],
          },
        },
      },
      createDeps: () => ({
        provisioning: {
          findProvisioner: async (text: string) =>
            text === token ? { teamId: "team", tokenId: "token" } : undefined,
        },
      }),
      createHandlers: () => ({ "scim-get-things": () => ({ status: 200 }) }),
    },
    { ...config, logLevel: "SILENT" },
  );
  const call = (headers: Record<string, string>, rawQueryString = "") =>
    handle(
      {
        rawPath: "/scim/v2/Things",
        rawQueryString,
        headers,
        requestContext: { http: { method: "GET", sourceIp: "192.0.2.1" }, requestId: "1" },
      } as unknown as HttpEvent,
      {} as Context,
    );

  it("lets a directory in by its token", async () => {
    expect((await call({ authorization: `Bearer ${token}` })).statusCode).toBe(200);
  });

  it.each([
    ["no token", undefined],
    ["an unknown token", `Bearer ${Buffer.alloc(32).toString("base64")}`],
    ["half a token", `Bearer ${token.slice(0, 22)}`],
    ["a long one", `Bearer ${"x".repeat(6000)}`],
    ["another scheme", `Basic ${token}`],
    ["two tokens", `Bearer ${token} ${token}`],
  ])("refuses %s with 401", async (_, authorization) => {
    const { statusCode } = await call(authorization === undefined ? {} : { authorization });
    expect(statusCode).toBe(401);
  });

  it("accepts no token from the query, and says whether there was one in the header", async () => {
    const challengeOf = async (...sent: Parameters<typeof call>) => {
      const { statusCode, headers } = await call(...sent);
      return [statusCode, headers?.["www-authenticate"]];
    };
    const inQuery = `access_token=${encodeURIComponent(token)}`;
    expect(await challengeOf({}, inQuery)).toEqual([401, "Bearer"]);
    expect(await challengeOf({ authorization: "Bearer garbage" })).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
  });
});
