import { expect, it } from "vitest";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { versionTables } from "./version-tables.ts";

const read = {
  audit: unaudited.reading,
  method: "GET",
  auth: "user",
  summary: "",
  responses: { 204: null },
  errors: [],
} as const;

it("lists by version what is new, what has another shape, and what is gone", () => {
  const routes = defineRoutes({
    always: { ...read, path: "/always" },
    thing: {
      ...read,
      path: "/things/{id}",
      since: 3,
      olderForms: { "thing-v1": { path: "/thing/{id}", until: 2 } },
    },
    list: { ...read, path: "/list", since: 3, olderForms: { "list-v0": { until: 2 } } },
    lost: { ...read, path: "/lost", until: 0 },
    "i-list": { ...read, auth: "internal", path: "/i/list", since: 3 },
  });
  expect(versionTables([{ routes }])).toBe(
    [
      "### Version 3",
      "",
      "| operation | change |",
      "| --- | --- |",
      "| `GET /list` | other shape |",
      "| `GET /thing/{id}` | gone; now `GET /things/{id}` |",
      "| `GET /things/{id}` | new |",
      "",
      "### Version 1",
      "",
      "| operation | change |",
      "| --- | --- |",
      "| `GET /lost` | gone |",
    ].join("\n"),
  );
});
