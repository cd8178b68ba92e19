import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Plugin } from "esbuild";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { families } from "#functions/families.ts";
import { bundleFunctions } from "#lib/bundle/bundle.ts";
import { isAllowed, noticesFile } from "#lib/bundle/licences.ts";
import { shortcuts } from "#lib/bundle/shortcuts.ts";
import { parseSettings } from "#shared/registry/settings.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "parley-supply-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifests = families.filter(({ name }) => name === "api-info");
const bundle = (name: string, ...plugins: Plugin[]) =>
  bundleFunctions({
    outdir: join(folder, name),
    settings: parseSettings({}),
    manifests,
    plugins: [...plugins, ...Object.values(shortcuts)],
  });

/** Puts a package in the place of one that families import. */
function replaced(name: string, manifest: object, files: Readonly<Record<string, string>> = {}): Plugin {
  const place = join(folder, name, "node_modules", "replaced");
  mkdirSync(place, { recursive: true });
  const contents = {
    "package.json": JSON.stringify(manifest),
    "index.js": "export default class {}",
    ...files,
  };
  for (const [file, content] of Object.entries(contents)) writeFileSync(join(place, file), content);
  return {
    name: "replaced",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^negotiator$/ }, () => ({ path: join(place, "index.js") }));
    },
  };
}

describe("licences of bundles", () => {
  it("are accepted if they allow any use, or a choice that does", () => {
    const allowed = [
      "MIT",
      "(Apache-2.0 AND BSD-3-Clause)",
      "(GPL-3.0-only OR MIT)",
      "MIT AND ISC OR MPL-2.0",
    ];
    expect(allowed.filter(isAllowed)).toEqual(allowed);
    const others = [
      "GPL-3.0-only",
      "MPL-2.0",
      "AGPL-3.0-or-later",
      "MIT AND LGPL-3.0-only",
      "UNLICENSED",
      "mit",
      "",
    ];
    const unclear = ["(MIT OR ISC) AND GPL-2.0-only", "SEE LICENSE IN LICENSE", "no SPDX expression"];
    expect([...others, ...unclear].filter(isAllowed)).toEqual([]);
  });

  it.each([
    ["copyleft", { license: "LGPL-3.0-only" }, "strict 1.0.0 (LGPL-3.0-only)"],
    ["no licence", {}, "strict 1.0.0 (no SPDX expression)"],
    ["a licence in the old form", { licenses: [{ type: "GPL" }] }, "strict 1.0.0 (no SPDX expression)"],
  ])("prevent a build with a package of %s", async (name, manifest, message) => {
    const plugin = replaced(`refused ${name}`, { name: "strict", version: "1.0.0", ...manifest });
    await expect(bundle(name, plugin)).rejects.toThrow(message);
  });

  it("prevent a build with a package that has no text of its licence", async () => {
    const plugin = replaced("without text", { name: "bare", version: "1.0.0", license: "MIT" });
    await expect(bundle("bare", plugin)).rejects.toThrow("bare 1.0.0 has no licence file");
  });

  it("are beside each bundle, with those of what it loads on demand and of the documentation page", async () => {
    const manifest = { name: "kind", version: "1.0.0", license: "MIT" };
    const plugin = replaced("kind", manifest, {
      "LICENSE.md": "Copyright of Kind",
      NOTICE: "Notice of Kind",
    });
    const [contents] = await bundle("notices", plugin);
    const notices = readFileSync(join(folder, "notices", "api-info", noticesFile), "utf8");
    const names = contents?.packages.map(({ name }) => name) ?? [];
    expect(names).toEqual(expect.arrayContaining(["kind", "zod", "swagger-ui-dist"]));
    expect(names).not.toContain("esbuild");
    for (const name of names) expect(notices).toMatch(new RegExp(`^${name} \\d`, "m"));
    for (const line of ["Copyright of Kind", "Notice of Kind", "Copyright 2020-2021 SmartBear Software Inc."])
      expect(notices).toContain(line);
    expect(readFileSync(join(folder, "notices", "api-info", "index.js"), "utf8")).not.toContain(noticesFile);
  });
});

/** Run the audit of the dependencies against a registry. */
async function audit(registry: RequestListener) {
  const server = createServer(registry);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const child = spawn(process.execPath, ["scripts/audit.ts"], {
    cwd: root,
    env: {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      npm_config_cache: mkdtempSync(join(folder, "cache-")),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { status, output: output + errors };
}

/** A registry that knows an advisory about zod. */
const knowing =
  (severity: string): RequestListener =>
  (request, response) => {
    response.setHeader("content-type", "application/json");
    const advisory = {
      id: 1,
      url: "https://example.com/1",
      title: "Parses anything",
      severity,
      vulnerable_versions: "<9",
    };
    const isList = request.url?.endsWith("/advisories/bulk");
    if (isList) response.end(JSON.stringify({ zod: [advisory] }));
    else response.writeHead(404).end("{}");
  };

describe("npm run audit", () => {
  it("fails for a critical vulnerability, and names it", async () => {
    const { status, output } = await audit(knowing("critical"));
    expect(output).toContain("critical: zod: Parses anything (https://example.com/1)");
    expect(status).toBe(1);
  });

  it("passes with vulnerabilities below high", async () => {
    expect(await audit(knowing("moderate"))).toEqual({
      status: 0,
      output: "Audit passed: nothing high or critical, 1 below.\n",
    });
  });

  it("says that it is skipped where the registry has no list", async () => {
    expect(await audit((_, response) => response.writeHead(405).end())).toEqual({
      status: 0,
      output: "Audit skipped: the registry offers no audit.\n",
    });
  });
});
