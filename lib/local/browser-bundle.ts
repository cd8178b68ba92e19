import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Optional dependencies of `ts-mls`, for cipher suites that the chat does not use. */
const unused = [
  "@noble/curves",
  "@noble/post-quantum",
  "@hpke/chacha20poly1305",
  "@hpke/hybridkem-x-wing",
  "@hpke/dhkem-x448",
  "@hpke/ml-kem",
];

/** Bundle a module with all that it imports, as a module for browsers. */
export async function bundleForBrowser(module: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(module)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: unused,
  });
  return outputFiles[0]?.text ?? "";
}
