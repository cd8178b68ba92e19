import { expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
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

it("names what the routes of a family need and its deps lack", () => {
  const createFamily = () =>
    createApiFunction(
      { family, createDeps: () => ({ verifier: undefined }), createHandlers: () => ({}) },
      config,
    );
  expect(createFamily).toThrow(
    "functions/people/neighbours/deps.ts lacks ...verifiers and describeRefusal, which its routes need",
  );
});
