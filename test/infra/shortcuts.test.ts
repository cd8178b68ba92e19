import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { unknownNames } from "#lib/bundle/lazy-schemas.ts";
import { withPlainKeys } from "#lib/bundle/plain-keys.ts";
import { shortcuts } from "#lib/bundle/shortcuts.ts";
import { standIn } from "#lib/bundle/stand-in.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-shortcuts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bundles a module with the shortcut. */
const bundle = (shortcut: Plugin, contents: string) =>
  build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    plugins: [shortcut],
    write: false,
    logLevel: "silent",
  });

function install(path: string, contents: string) {
  const file = join(folder, "node_modules", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, contents);
}

const advice = "adapt or remove the shortcut, as lib/bundle/README.md says";

describe("a shortcut fails the build", () => {
  const { "lazy schemas": _, ...ofPackages } = shortcuts;

  it.each(Object.entries(ofPackages))(
    "%s: when nothing imports what it replaces",
    async (_name, shortcut) => {
      await expect(bundle(shortcut, "console.log();")).rejects.toThrow(advice);
    },
  );

  it("when the stand-in for a package lacks what is imported from it", async () => {
    install("ours.js", "export const a = 1;");
    const shortcut = standIn("theirs", join(folder, "node_modules/ours.js"));
    await expect(bundle(shortcut, 'import { a } from "theirs"; a();')).resolves.toBeDefined();
    await expect(bundle(shortcut, 'import { b } from "theirs"; b();')).rejects.toThrow("No matching export");
  });

  it("when a client of AWS spells its shapes in another way", async () => {
    const path = "@aws-sdk/client-x/dist-es/schemas/schemas_0.js";
    install(path, 'const _A = "A";\nexport const shape = { [_A]: 1 };');
    const source = `import { shape } from "${path}"; shape();`;
    await expect(bundle(shortcuts["plain keys"], source)).resolves.toBeDefined();
    install(path, 'const A = "A";\nexport const shape = { [A]: 1 };');
    await expect(bundle(shortcuts["plain keys"], source)).rejects.toThrow("is written differently");
  });
});

it("a shortcut replaces keys in brackets by their values, and gives up at an unknown one", () => {
  const constants = 'const _A = "A";\nconst _b = "a \\"b\\"";\n';
  expect(withPlainKeys(`${constants}const c = { [_A]: 1, [_b]: 2 };`)).toBe(
    `${constants}const c = { "A": 1, "a \\"b\\"": 2 };`,
  );
  expect(withPlainKeys(`${constants}const c = { [_A]: 1, [_c]: 2 };`)).toBeUndefined();
});

it("a shortcut reports the names of functions for schemas that zod lacks", () => {
  const missing = unknownNames({ iso: { datetime: () => {} } });
  expect(missing).toContain("string");
  expect(missing).not.toContain("datetime");
});
