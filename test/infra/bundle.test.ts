import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { bundleFunctions } from "#lib/bundle.ts";
import { variables } from "#shared/platform/config.ts";
import { queues } from "#shared/registry/queues.ts";
import { secrets } from "#shared/registry/secrets.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { tables } from "#shared/registry/tables.ts";

const outdir = mkdtempSync(join(tmpdir(), "parley-bundle-"));
const names = [...families, ...workers].map(({ name }) => name);
const settings = parseSettings({ productName: "Bundled" });

beforeAll(async () => {
  mkdirSync(join(outdir, "removed-function"));
  writeFileSync(join(outdir, "removed-function", "index.mjs"), "");
  await bundleFunctions({ outdir, settings });
});

afterAll(() => rmSync(outdir, { recursive: true, force: true }));

it("removes the output of an earlier build", () => {
  expect(existsSync(join(outdir, "removed-function"))).toBe(false);
});

it("gives every function its settings", () => {
  for (const name of names) {
    const bundled = JSON.parse(readFileSync(join(outdir, name, "settings.json"), "utf8"));
    expect(bundled).toEqual(JSON.parse(JSON.stringify(settings)));
  }
});

it("gives the assets of the documentation page to its function only", () => {
  expect(names.filter((name) => existsSync(join(outdir, name, "swagger-ui")))).toEqual(["api-info"]);
  expect(existsSync(join(outdir, "api-info", "swagger-ui", "swagger-ui-bundle.js"))).toBe(true);
});

it("creates bundles that load without the project around them", () => {
  const named = (registry: object, variable: (name: never) => string) =>
    Object.keys(registry).map((name) => [variable(name as never), "https://example.com/name"]);
  const env = {
    AWS_REGION: "eu-central-1",
    [variables.settingsFile]: join(outdir, "api-info", "settings.json"),
    [variables.publicUrl]: "https://example.com",
    ...Object.fromEntries([
      ...named(tables, variables.table),
      ...named(queues, variables.queue),
      ...named(secrets, variables.secret),
    ]),
  };
  const urls = names.map((name) => pathToFileURL(join(outdir, name, "index.mjs")).href);
  const script = `
    for (const url of ${JSON.stringify(urls)}) {
      const { handler } = await import(url);
      if (typeof handler !== "function") throw new Error(url + " exports no handler");
    }`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: outdir,
    env,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
