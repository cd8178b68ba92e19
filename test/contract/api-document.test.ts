import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { events } from "#functions/events.ts";
import { families } from "#functions/families.ts";
import { internalOpenapi, openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { allVersions, existsIn } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";

const settings = parseSettings({});
const operations = families.flatMap(({ routes }) => Object.entries(routes));

const idsIn = ({ paths }: ReturnType<typeof openapiOf>) =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods) as { operationId: string }[])
    .map(({ operationId }) => operationId)
    .sort();

describe("the API document", () => {
  it.each(allVersions)(
    "of version %i contains every public operation of that version, except those of pages for people",
    (version) => {
      const expected = operations.filter(
        ([, route]) =>
          route.auth !== "internal" && route.isForBrowsersOnly !== true && existsIn(route, version),
      );
      expect(idsIn(openapiOf(version, settings))).toEqual(expected.map(([id]) => id).sort());
    },
  );

  it("for internal callers contains every internal operation and no events", () => {
    const expected = operations.filter(([, route]) => route.auth === "internal");
    const document = internalOpenapi(settings);
    expect(idsIn(document)).toEqual(expected.map(([id]) => id).sort());
    expect(document).not.toHaveProperty("webhooks");
  });
});

describe("the events", () => {
  it("are all listed in the API document", () => {
    const declared = globSync("shared/**/*.ts").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/define\w*Event\(\{\s*type: "([^"]+)"/g)].map(
        ([, type]) => type,
      ),
    );
    expect(events.map(({ type }) => type).sort()).toEqual(declared.sort());
  });

  it("are all explained", () => {
    const explained = readFileSync("docs/events.md", "utf8");
    expect(events.filter(({ type }) => !explained.includes(`\`${type}\``))).toEqual([]);
  });
});
