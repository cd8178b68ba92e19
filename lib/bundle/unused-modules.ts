import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { failUnless, finding } from "./stand-in.ts";

/** Modules of dependencies that would be in every bundle, though no function uses them. */
const unused = [
  // JSON schemas: only the API document is made from them.
  "zod/v4/core/json-schema-processors",
  "zod/v4/core/to-json-schema",
  // Digests for platforms without their own.
  "Sha256Js",
  "Md5Js",
  // Adaptive retries, and finding the region from the machine's metadata: neither is configured.
  "util-retry/AdaptiveRetryStrategy",
  "regionConfig/getInstanceMetadataRegion",
  // Checksums of web streams: nothing sends one.
  "checksum/createChecksumStream.browser",
];

/** Leaves out the contents of these modules: each of their exports becomes a function that throws. */
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
