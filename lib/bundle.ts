import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { families, workers } from "#functions/families.ts";
import type { Settings } from "#shared/settings.ts";

/** Function that serves the page of the API document, and the folder with the page's assets inside its bundle. */
export const docsFunction = "api-info";
export const docsFolder = "swagger-ui";

/** The settings of the stage, inside each bundle. */
export const settingsFile = "settings.json";

const docsAssets = ["swagger-ui-bundle.js", "swagger-ui.css"];

/** Some dependencies are CommonJS and call `require`, which ES modules do not have. */
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

export interface BundleOptions {
  /** Emptied first: no file of an earlier build survives. */
  readonly outdir: string;
  readonly settings: Settings;
}

/**
 * Bundle every function into `<outdir>/<name>/`: `index.mjs`, its source map, and the settings.
 *
 * @throws BuildFailure of esbuild
 */
export function bundleFunctions({ outdir, settings }: BundleOptions): void {
  rmSync(outdir, { recursive: true, force: true });
  const names = [...families, ...workers].map(({ name }) => name);
  const root = join(import.meta.dirname, "..");
  buildSync({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [`${name}/index`, `functions/${name}/index.ts`])),
    outdir,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    // The CommonJS builds, which esbuild would choose for Node, are half as large again and slower to load.
    mainFields: ["module", "main"],
    conditions: ["module"],
    minify: true,
    sourcemap: "external",
    legalComments: "none",
    logLevel: "warning",
    banner: { js: requireBanner },
  });
  const settingsText = JSON.stringify(settings);
  for (const name of names) writeFileSync(join(outdir, name, settingsFile), settingsText);
  copyDocsAssets(join(outdir, docsFunction, docsFolder));
}

function copyDocsAssets(folder: string) {
  mkdirSync(folder, { recursive: true });
  for (const asset of docsAssets) {
    cpSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${asset}`)), join(folder, asset));
  }
}
