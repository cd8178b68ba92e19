import type { Context } from "aws-lambda";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { parseSettings } from "#shared/registry/settings.ts";
import { createLog } from "../log.ts";
import type { Family } from "../manifest.ts";
import { ApiError } from "./api-error.ts";
import { createApiHandler } from "./api-handler.ts";
import type { HttpEvent } from "./request.ts";

const family: Family = {
  domain: "people",
  name: "neighbours",
  summary: "People next door",
  routes: {
    "get-neighbours": {
      method: "GET",
      path: "/neighbours/{house}",
      auth: "none",
      summary: "List the neighbours",
      params: z.object({ house: z.string() }),
      responses: { 200: null, 533: null },
      errors: ["federation-connection-refused"],
    },
    "get-owner": {
      method: "GET",
      path: "/owners/{house}",
      auth: "none",
      summary: "Name the owner",
      params: z.object({ house: z.string() }),
      responses: { 200: null },
      errors: ["enterprise-service-not-enabled"],
    },
  },
};

const handlers = {
  "get-neighbours": ({ params: { house } }: { params: { house: string } }) => {
    if (house === "at-sea") return new Promise<never>(() => {});
    if (house === "beyond-the-river") throw new ApiError("federation-connection-refused");
    return { status: house === "next-door" ? 200 : 533 };
  },
  "get-owner": () => new Promise<never>(() => {}),
};

const event = (house: string, path = "neighbours") =>
  ({
    rawPath: `/${path}/${house}`,
    headers: {},
    requestContext: { http: { method: "GET", sourceIp: "192.0.2.1" }, requestId: "1" },
  }) as unknown as HttpEvent;

it.for([
  ["next-door", 0],
  ["across-the-river", 1],
  ["beyond-the-river", 1],
] as const)(
  "counts a deliberate server error separately, for the alarm on faults: %s",
  async ([house, counted]) => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const handle = createApiHandler(family, handlers, {
      settings: parseSettings({}),
      log: createLog("test", "INFO", "prod"),
      authenticate: async () => undefined,
    });
    await handle(event(house), {} as Context);
    const lines = write.mock.calls.map(([text]) => JSON.parse(String(text)));
    write.mockRestore();
    expect(lines.filter(({ DeliberateServerErrors }) => DeliberateServerErrors === 1)).toHaveLength(counted);
  },
);

describe("the log line of a request", () => {
  const lineOf = async (given: object) => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const handle = createApiHandler(family, handlers, {
      settings: parseSettings({}),
      log: createLog("test", "INFO", "prod"),
      authenticate: async () => undefined,
      entranceSecret: async () => "of the entrance",
    });
    await handle({ ...event("next-door"), ...given } as HttpEvent, {} as Context);
    const lines = write.mock.calls.map(([text]) => JSON.parse(String(text)));
    write.mockRestore();
    return lines.find(({ message }) => message === "request");
  };
  const requestContext = { http: { method: "GET", sourceIp: "192.0.2.1" }, requestId: "1" };

  it("has the network that limits see: that of the client in front of the entrance", async () => {
    const headers = { "x-entrance-secret": "of the entrance", "x-entrance-viewer": "2001:db8:1:2:3::4" };
    const line = await lineOf({ headers });
    expect(line).toMatchObject({ status: 200, network: "2001:db8:1:2::/64" });
    expect(JSON.stringify(line)).not.toContain("192.0.2.1");
    expect(line).not.toHaveProperty("caller");
  });

  it("has no network of a request that bypassed the entrance", async () => {
    const line = await lineOf({});
    expect(line.status).toBe(403);
    expect(line).not.toHaveProperty("network");
  });

  it("has the principal that called the internal API", async () => {
    const userArn = "arn:aws:sts::123456789012:assumed-role/operators/ada";
    const line = await lineOf({ requestContext: { ...requestContext, authorizer: { iam: { userArn } } } });
    expect(line).toMatchObject({ caller: userArn });
    expect(line).not.toHaveProperty("network");
  });
});

describe("a request that its function has too little time left to answer", () => {
  const handle = createApiHandler(family, handlers, {
    settings: parseSettings({}),
    log: createLog("test", "SILENT"),
    authenticate: async () => undefined,
  });
  const context = () => ({ getRemainingTimeInMillis: () => 50 }) as Context;

  it("is answered 503 with a Retry-After of some seconds", async () => {
    const answer = await handle(event("at-sea"), context());
    expect(answer).toMatchObject({ statusCode: 503, headers: { "retry-after": "5" } });
    expect(JSON.parse(answer.body ?? "")).toMatchObject({ code: 503, label: "service-unavailable" });
  });

  it("is answered 500 where clients take 503 to mean that a feature is off", async () => {
    const answer = await handle(event("at-sea", "owners"), context());
    expect(answer.statusCode).toBe(500);
    expect(JSON.parse(answer.body ?? "").label).toBe("server-error");
  });
});

it.for([
  ["next-door", 200],
  ["beyond-the-river", 533],
] as const)(
  "forbids even old caches to keep responses of a family that says so: %s",
  async ([house, status]) => {
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const handle = createApiHandler({ ...family, forbidsOldCaches: true }, handlers, {
      settings: parseSettings({}),
      log: createLog("test", "CRITICAL"),
      authenticate: async () => undefined,
    });
    const { statusCode, headers } = await handle(event(house), {} as Context);
    vi.restoreAllMocks();
    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({ "cache-control": "no-cache, no-store", pragma: "no-cache" });
  },
);

describe("a family of SCIM", () => {
  const scimFamily: Family = {
    domain: "provisioning",
    name: "things",
    summary: "Things of a directory",
    routes: {
      "scim-post-thing": {
        method: "POST",
        audit: { none: "a test" },
        path: "/scim/v2/Things",
        auth: "none",
        summary: "Create a thing",
        body: z.object({ name: z.string() }),
        bodyFormat: "scim",
        errorFormat: "scim",
        responses: { 201: z.object({ name: z.string() }) },
        errors: ["scim-uniqueness"],
      },
    },
  };
  const scimHandlers = {
    "scim-post-thing": ({ body }: { body: { name: string } }) => {
      if (body.name === "taken") throw new ApiError("scim-uniqueness");
      return { body };
    },
  };
  const handle = createApiHandler(scimFamily, scimHandlers, {
    settings: parseSettings({}),
    log: createLog("test", "CRITICAL"),
    authenticate: async () => undefined,
  });
  const call = async ({
    method = "POST",
    path = "/scim/v2/Things",
    type = "application/scim+json",
    accept = "",
    body = "{}",
  } = {}) => {
    const request = {
      rawPath: path,
      headers: { "content-type": type, accept },
      body,
      requestContext: { http: { method, sourceIp: "192.0.2.1" }, requestId: "1" },
    } as unknown as HttpEvent;
    const answer = await handle(request, {} as Context);
    return { ...answer, headers: answer.headers ?? {}, body: JSON.parse(answer.body ?? "") };
  };
  const thing = JSON.stringify({ name: "new" });

  it("accepts both content types of JSON, and answers with the one that the client accepts", async () => {
    for (const type of ["application/scim+json; charset=utf-8", "application/json"]) {
      const answer = await call({ type, body: thing });
      expect(answer).toMatchObject({ statusCode: 201, body: { name: "new" } });
      expect(answer.headers["content-type"]).toBe("application/scim+json;charset=utf-8");
    }
    for (const [accept, type] of [
      ["application/json", "application/json;charset=utf-8"],
      ["application/scim+json, application/json;q=0.9", "application/scim+json;charset=utf-8"],
      ["*/*", "application/scim+json;charset=utf-8"],
    ] as const) {
      expect((await call({ accept, body: thing })).headers["content-type"], accept).toBe(type);
      expect((await call({ accept, body: "{" })).headers["content-type"], accept).toBe(type);
    }
  });

  it.for(["application/scim+json", "application/scim+json, application/json;q=0.9", "*/*"])(
    "answers an error with the fields of RFC 7644 alone to a client that accepts %s",
    async (accept) => {
      const { body } = await call({ accept, body: JSON.stringify({ name: "taken" }) });
      expect(body).toEqual({
        schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
        status: "409",
        scimType: "uniqueness",
        detail: expect.any(String),
      });
    },
  );

  it.for(["", "application/json", "application/json, */*;q=0.5"])(
    "answers an error with the fields of every error as well to a client that accepts %j",
    async (accept) => {
      const { body } = await call({ accept, body: JSON.stringify({ name: "taken" }) });
      expect(body).toMatchObject({ status: "409", code: 409, label: "scim-error", message: body.detail });
    },
  );

  it.for([
    ["a conflict", { body: JSON.stringify({ name: "taken" }) }, 409, { scimType: "uniqueness" }],
    ["JSON that cannot be parsed", { body: "{" }, 400, { scimType: "invalidSyntax" }],
    ["no body", { body: "" }, 400, { scimType: "invalidSyntax" }],
    ["another content type", { type: "text/plain" }, 415, {}],
    ["another method", { method: "DELETE" }, 405, {}],
    ["an unknown path", { path: "/scim/v2/Nothings" }, 404, {}],
    ["an unknown version", { path: "/v99/scim/v2/Things" }, 404, {}],
  ] as const)("answers %s with a SCIM error", async ([, request, status, fields]) => {
    const { statusCode, headers, body } = await call(request);
    expect(statusCode).toBe(status);
    expect(headers["content-type"]).toBe("application/scim+json;charset=utf-8");
    expect(body).toEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: String(status),
      detail: expect.any(String),
      code: status,
      label: "scim-error",
      message: body.detail,
      ...fields,
    });
  });
});

describe("a request", () => {
  const things: Family = {
    domain: "people",
    name: "things",
    summary: "Things",
    routes: {
      "get-things": {
        method: "GET",
        path: "/things",
        auth: "none",
        summary: "List the things",
        query: z.object({ size: z.string().optional() }),
        responses: { 200: z.string() },
        errors: [],
      },
      "post-thing": {
        method: "POST",
        audit: { none: "a test" },
        path: "/things/{thing}",
        auth: "user",
        summary: "Create a thing",
        params: z.object({ thing: z.uuid() }),
        body: z.object({ name: z.string() }),
        responses: { 201: null },
        errors: [],
      },
    },
  };
  const handle = createApiHandler(
    things,
    {
      "get-things": ({ query: { size = "all" } }: { query: { size?: string } }) => ({
        body: size,
        ...(size === "cached" && { headers: { "cache-control": "public, max-age=60" } }),
      }),
      "post-thing": () => ({ status: 201 }),
    },
    {
      settings: parseSettings({}),
      log: createLog("test", "SILENT"),
      authenticate: async ({ headers }, { auth }) => {
        if (auth === "user" && headers.authorization === undefined) throw new ApiError("unauthenticated");
        return undefined;
      },
    },
  );
  const call = async (method: string, path: string, fields: Partial<HttpEvent> = {}) => {
    const http = { method, sourceIp: "192.0.2.1" };
    const request = { rawPath: path, headers: {}, requestContext: { http, requestId: "1" }, ...fields };
    return handle(request as unknown as HttpEvent, {} as Context);
  };

  it("is authenticated before its input is read, and its parameters are checked before its body", async () => {
    const [wrongPath, path] = ["/things/x", "/things/6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a01"];
    const labelOf = async (...[target, fields]: [string, Partial<HttpEvent>]) =>
      JSON.parse((await call("POST", target, fields)).body ?? "").label;
    const headers = { authorization: "Bearer token", "content-type": "application/json" };
    for (const body of ["", "{", "x".repeat(100_000)])
      expect(await labelOf(wrongPath, { body }), body.slice(0, 9)).toBe("unauthorized");
    expect(await labelOf(wrongPath, { headers, body: "x".repeat(100_000) })).toBe("bad-request");
    expect(await labelOf(path, { headers, body: "x".repeat(100_000) })).toBe("request-too-large");
    expect(await labelOf(path, { headers, body: "{" })).toBe("bad-request");
    expect(await call("POST", path, { headers, body: '{"name":"x"}' })).toMatchObject({ statusCode: 201 });
  });

  it("by HEAD gets the status and headers of GET without its body", async () => {
    const [get, head] = [await call("GET", "/things"), await call("HEAD", "/things")];
    expect(get).toMatchObject({ statusCode: 200, body: '"all"' });
    expect(head).toEqual({ ...get, body: "" });
  });

  it("gets an answer that varies with its origin, if caches may keep the answer", async () => {
    const answer = await call("GET", "/things", { rawQueryString: "size=cached" });
    expect(answer.headers).toMatchObject({ "cache-control": "public, max-age=60", vary: "origin" });
    expect((await call("GET", "/things")).headers).not.toHaveProperty("vary");
  });

  it("may have a body that its operation does not expect", async () => {
    for (const body of ["{", "null", "\u0000"])
      expect((await call("GET", "/things", { body })).statusCode, body).toBe(200);
  });

  it.for([
    ["", '"all"'],
    ["size=10", '"10"'],
    ["size=", '""'],
    ["size", '""'],
    ["size=1&size=2", '"2"'],
    ["size[]=1&size[0]=2", '"all"'],
    ["&&=&", '"all"'],
    ["%zz=%zz&%=%&size=%zz", '"%zz"'],
    ["__proto__=1&__proto__[size]=1&constructor.prototype.size=1", '"all"'],
  ])("has the last value of each parameter of its query, and may have others: %s", async ([query, body]) => {
    expect(await call("GET", "/things", { rawQueryString: query })).toMatchObject({ statusCode: 200, body });
    expect({}).not.toHaveProperty("size");
  });
});
