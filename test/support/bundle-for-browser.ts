import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Modules with which a dependency of the client library writes log files, as it never does on a page. */
const unused = ["fs-extra", "os", "path"];

/** Bundle a module of this folder with everything that it imports: as a script that sets the global `bundle`. */
export async function bundleForBrowser(module: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(module, import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "bundle",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    alias: Object.fromEntries(unused.map((name) => [name, "data:text/javascript,"])),
  });
  return outputFiles[0]?.text ?? "";
}
