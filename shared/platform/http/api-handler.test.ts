import type { Context } from "aws-lambda";
import { expect, it, vi } from "vitest";
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
  },
};

const handlers = {
  "get-neighbours": ({ params: { house } }: { params: { house: string } }) => {
    if (house === "beyond-the-river") throw new ApiError("federation-connection-refused");
    return { status: house === "next-door" ? 200 : 533 };
  },
};

const event = (house: string) =>
  ({
    rawPath: `/neighbours/${house}`,
    headers: {},
    requestContext: { http: { method: "GET", sourceIp: "192.0.2.1" }, requestId: "1" },
  }) as unknown as HttpEvent;

it.for([
  ["next-door", 0],
  ["across-the-river", 1],
  ["beyond-the-river", 1],
] as const)(
  "counts a server error that is no fault, for the alarm on faults: %s",
  async ([house, counted]) => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const handle = createApiHandler(family, handlers, {
      config: {},
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

it.for([
  ["next-door", 200],
  ["beyond-the-river", 533],
] as const)("forbids also old caches to keep any response of such a family: %s", async ([house, status]) => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const handle = createApiHandler({ ...family, forbidsOldCaches: true }, handlers, {
    config: {},
    settings: parseSettings({}),
    log: createLog("test", "CRITICAL"),
    authenticate: async () => undefined,
  });
  const { statusCode, headers } = await handle(event(house), {} as Context);
  vi.restoreAllMocks();
  expect(statusCode).toBe(status);
  expect(headers).toMatchObject({ "cache-control": "no-cache, no-store", pragma: "no-cache" });
});
