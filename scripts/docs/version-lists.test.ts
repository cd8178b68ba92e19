import { expect, it } from "vitest";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { versionLists } from "./version-lists.ts";

const read = {
  audit: unaudited.reading,
  method: "GET",
  auth: "user",
  summary: "",
  responses: { 204: null },
  errors: [],
} as const;

it("lists, by version, operations that are new, changed, moved or gone", () => {
  const routes = defineRoutes({
    always: { ...read, path: "/always" },
    thing: {
      ...read,
      path: "/things/{id}",
      since: 3,
      olderForms: { "thing-v1": { path: "/thing/{id}", until: 2 } },
    },
    list: { ...read, path: "/list", since: 3, olderForms: { "list-v0": { until: 2 } } },
    fresh: { ...read, path: "/fresh", since: 3 },
    "clear-fresh": { ...read, method: "DELETE", path: "/fresh", since: 3 },
    lost: { ...read, path: "/lost", until: 0 },
    "i-list": { ...read, auth: "internal", path: "/i/list", since: 3 },
  });
  expect(versionLists([{ routes }])).toBe(
    [
      "### Version 3",
      "",
      "- New: `GET, DELETE /fresh`",
      "- Other shape: `GET /list`",
      "- Moved:",
      "  - `GET /thing/{id}` to `GET /things/{id}`",
      "",
      "### Version 1",
      "",
      "- Gone: `GET /lost`",
    ].join("\n"),
  );
});
