import type { Context } from "aws-lambda";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { parseSettings } from "#shared/registry/settings.ts";
import { createLog } from "../log.ts";
import { ApiError } from "./api-error.ts";
import { createApiHandler } from "./api-handler.ts";
import { inOwnDomain } from "./local-domain.ts";
import type { HttpEvent } from "./request.ts";
import { defineRoutes, type Handlers } from "./route.ts";

const neighbour = z.object({ id: z.string(), doors: z.array(z.string()) });

const routes = defineRoutes({
  "get-neighbour": {
    method: "GET",
    path: "/neighbours/{domain}/{id}",
    since: 4,
    auth: "none",
    summary: "Get a neighbour",
    params: z.object({ domain: z.string(), id: z.string() }),
    responses: { 200: neighbour, 204: null, 533: null },
    responseHeaders: { Location: "The house" },
    errors: ["not-found"],
    olderForms: {
      "get-neighbour-v2": {
        since: 2,
        until: 3,
        path: "/neighbours/{id}",
        params: z.object({ id: z.string() }),
        request: inOwnDomain("domain"),
      },
      "get-neighbour-v0": {
        until: 1,
        responses: { 200: z.object({ id: z.string(), door: z.string().optional() }), 204: null },
        answer: {
          200: ({ doors, ...view }: z.input<typeof neighbour>) => ({ ...view, door: doors[0] }),
          533: () => {
            throw new ApiError("not-found");
          },
        },
      },
    },
  },
});

const settings = parseSettings({ domain: "parley.localhost" });

const handlers: Handlers<typeof routes> = {
  "get-neighbour": ({ params: { domain, id } }) => {
    if (id === "nobody") return { status: 204 };
    if (id === "far") return { status: 533 };
    const headers = { location: domain };
    return { status: 200, headers, body: { id, doors: ["front", "back"] } };
  },
};

async function get(path: string) {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const handle = createApiHandler(
    { domain: "people", name: "neighbours", summary: "People next door", routes },
    handlers,
    { settings, log: createLog("test", "INFO", "prod"), authenticate: async () => undefined },
  );
  const requestContext = { http: { method: "GET", sourceIp: "192.0.2.1" }, requestId: "1" };
  const event = { rawPath: path, headers: {}, requestContext } as unknown as HttpEvent;
  const { statusCode, headers, body } = await handle(event, {} as Context);
  vi.restoreAllMocks();
  return { status: statusCode, location: headers?.location, body: body && JSON.parse(body) };
}

describe("an older form of an operation", () => {
  it("has the row of its operation, except for what it states itself", () => {
    expect(routes).toMatchObject({
      "get-neighbour-v0": {
        method: "GET",
        path: "/neighbours/{domain}/{id}",
        since: undefined,
        until: 1,
        responseHeaders: { Location: "The house" },
        errors: ["not-found"],
      },
    });
    expect(Object.keys(routes)).toEqual(["get-neighbour", "get-neighbour-v2", "get-neighbour-v0"]);
  });

  it("gives today's handler the request that it expects", async () => {
    const today = { status: 200, location: settings.domain, body: { id: "ada", doors: ["front", "back"] } };
    expect(await get(`/v4/neighbours/${settings.domain}/ada`)).toEqual(today);
    expect(await get("/v2/neighbours/ada")).toEqual(today);
  });

  it("turns the body of today's answer into the older one, and keeps its headers", async () => {
    expect(await get("/v1/neighbours/example.com/ada")).toEqual({
      status: 200,
      location: "example.com",
      body: { id: "ada", door: "front" },
    });
  });

  it("passes on an answer that needs no adapter", async () => {
    expect(await get("/v1/neighbours/example.com/nobody")).toMatchObject({ status: 204, body: "" });
  });

  it("may refuse what it cannot express", async () => {
    expect(await get("/v1/neighbours/example.com/far")).toMatchObject({ status: 404 });
  });

  it("does not compile without the adapters that it needs", () => {
    const row = {
      method: "GET",
      path: "/neighbours/{id}",
      auth: "none",
      summary: "Get a neighbour",
      params: z.object({ id: z.string() }),
      responses: { 200: neighbour },
      errors: [],
    } as const;
    const withoutId = { "get-v0": { path: "/neighbour", params: z.object({}) } };
    const withName = { "get-v0": { responses: { 200: z.object({ name: z.string() }) } } };
    const withoutContent = { "get-v0": { responses: { 204: null } } };
    // @ts-expect-error: today's handler needs an id.
    defineRoutes({ get: { ...row, olderForms: withoutId } });
    // @ts-expect-error: today's answer has no name.
    defineRoutes({ get: { ...row, olderForms: withName } });
    // @ts-expect-error: the older form has no status 200.
    defineRoutes({ get: { ...row, olderForms: withoutContent } });
  });
});
