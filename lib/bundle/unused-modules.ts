import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { failUnless, finding } from "./stand-in.ts";

/** Modules of dependencies that every bundle would have, and no function ever uses. */
const unused = [
  // JSON schemas, which only the API document is made of.
  "zod/v4/core/json-schema-processors",
  "zod/v4/core/to-json-schema",
  // Digests for where Node has none.
  "Sha256Js",
  "Md5Js",
  // Retries that slow down by themselves, and the region as machines find it out: neither is configured.
  "util-retry/AdaptiveRetryStrategy",
  "regionConfig/getInstanceMetadataRegion",
  // Checksums of web streams: nothing sends one.
  "checksum/createChecksumStream.browser",
];

/** Leaves the contents of these modules out: whatever they export is a function that throws. */
export const unusedModules: Plugin = {
  name: "unused modules",
  setup({ onLoad, onEnd }) {
    const left = new Set(unused);
    for (const module of unused) {
      onLoad({ filter: new RegExp(`/${module.replaceAll(".", "\\.")}\\.js$`) }, ({ path }) => {
        left.delete(module);
        const contents = withoutContents(path);
        return contents === undefined ? { errors: [finding(`${path} exports nothing`)] } : { contents };
      });
    }
    onEnd(() => failUnless(left.size === 0, `Nothing imports ${[...left].join(" or ")} any more`));
  },
};

function withoutContents(path: string): string | undefined {
  const names = [...readFileSync(path, "utf8").matchAll(/^export (?:const|function|class) (\w+)/gm)];
  if (names.length === 0) return undefined;
  const file = JSON.stringify(path.replace(/.*\/node_modules\//, ""));
  return [
    `function leftOut() { throw new Error(${file} + " is left out of the bundles"); }`,
    ...names.map(([, name]) => `export { leftOut as ${name} };`),
  ].join("\n");
}
