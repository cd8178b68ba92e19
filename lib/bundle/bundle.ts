import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { families, workers } from "#functions/families.ts";
import type { Family, Worker } from "#shared/platform/manifest.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { entryPoint, type FunctionManifest, relayEntryPoint } from "../function-modules.ts";
import { socketFunction } from "../socket-paths.ts";
import { noticesFile, noticesOf, refuseLicences } from "./licences.ts";
import { type BundleContents, type BundledPackage, packageFolders, packagesIn } from "./packages.ts";
import { shortcuts } from "./shortcuts.ts";

/** Function that serves the page of the API document. */
export const docsFunction = "api-info";
/** Folder with the assets of that page, inside the function's bundle. */
export const docsFolder = "swagger-ui";

/**
 * Code that few requests need is a file of its own next to the bundle, because Node reads all of a bundle when it
 * starts. It has copies of all modules that it shares with the bundle, so it must not depend on state or classes of
 * ours. Nothing is left out of it: the API document needs the JSON schemas.
 */
const onDemand = [
  { module: "libphonenumber-js/min", file: "libphonenumber.js" },
  { module: "#shared/sessions/tokens/jwt-verification.ts", file: "jwt-verification.js" },
  { module: "#shared/accounts/credentials/imported-hash.ts", file: "imported-hash.js" },
  { module: "#functions/platform/api-info/openapi-of.ts", file: "openapi-of.js" },
];
type OnDemand = (typeof onDemand)[number];

/**
 * Modules whose exports are computed at build time: a bundle loads only the values, from a JSON file next to it, and
 * neither the module's imports nor the files that it reads.
 */
const computed = [
  { module: "#functions/platform/api-info/guides/rendered-guides.ts", file: "rendered-guides.js" },
];

/**
 * V8 doubles the space of young objects, from 1 MB to 16, each time that it has become full, and copies the live
 * objects: a start and the first request would pay for each step.
 */
export const heapGrowthFlag = "--semi-space-growth-factor";

/**
 * The module that Lambda starts. It loads the bundle, and is ready once that is warm. It is an ES module because only
 * those can await something while they load.
 */
export const startFile = "start.mjs";
const startSource = `import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
setFlagsFromString("${heapGrowthFlag}=16");
const { handler } = createRequire(import.meta.url)("./index.js");
await handler.warmUp();
export { handler };
`;

/** The settings of the stage, inside each bundle. */
export const settingsFile = "settings.json";

const root = join(import.meta.dirname, "../..");
const docsAssets = ["swagger-ui-bundle.js", "swagger-ui.css"];

const buildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node24",
  // For an ES module, Node reads every export of the built-in modules that it imports; one export of `http` loads a
  // second HTTP client.
  format: "cjs",
  // The CommonJS builds, which esbuild would choose for Node, are half as large again and slower to load.
  mainFields: ["module", "main"],
  conditions: ["module"],
  minify: true,
  sourcemap: "external",
  legalComments: "none",
  logLevel: "warning",
} as const satisfies BuildOptions;

export interface BundleOptions {
  /** Emptied first, so that no file of an earlier build survives. */
  readonly outdir: string;
  readonly settings: Settings;
}

/** Options for bundling functions; the benchmark leaves out a shortcut to measure its savings. */
export interface FunctionBundleOptions extends BundleOptions {
  readonly manifests?: readonly FunctionManifest[];
  readonly plugins?: readonly Plugin[];
}

/**
 * Bundle every function into `<outdir>/<name>/`: `index.js`, its source map, the files that it loads on demand, the
 * settings, the module that Lambda starts, and the notices of the packages that it contains.
 *
 * @throws esbuild's BuildFailure; Error when a package has a licence that is not allowed
 */
export async function bundleFunctions({
  outdir,
  settings,
  manifests = [...families, ...workers],
  plugins = Object.values(shortcuts),
}: FunctionBundleOptions): Promise<BundleContents[]> {
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    ...buildOptions,
    entryPoints: Object.fromEntries(manifests.map(({ name }) => [`${name}/index`, `${entryPrefix}${name}`])),
    plugins: [entryPoints(manifests), besideBundle, ...plugins],
    outdir,
    metafile: true,
  });
  const parts = onDemand.map((part) => bundleOnDemand(part, foldersWith(part, metafile)));
  const written = [...writtenIn(metafile), ...(await Promise.all(parts)).flat()];
  for (const part of computed) await writeComputed(part, foldersWith(part, metafile));
  const settingsText = JSON.stringify(settings);
  return manifests.map(({ name }) => {
    const folder = join(outdir, name);
    writeFileSync(join(folder, settingsFile), settingsText);
    writeFileSync(join(folder, "package.json"), '{"type":"commonjs"}');
    writeFileSync(join(folder, startFile), startSource);
    const packages = written.filter((part) => part.folder === folder).flatMap((part) => part.packages);
    if (name === docsFunction) packages.push(copyDocsAssets(join(folder, docsFolder)));
    return { bundle: name, packages: writeNotices(folder, packages) };
  });
}

/** The function whose code a relay runs. */
export function relayedFunction(): Worker {
  const manifest = workers.find(({ name }) => name === socketFunction);
  if (manifest === undefined) throw new Error(`There is no function ${socketFunction}`);
  return manifest;
}

/** The function that takes uploads, whose code a relay runs, too. */
export function uploadFunction(): Family {
  const family = families.find(({ routes }) =>
    Object.values(routes).some(({ bodyFormat }) => bodyFormat === "multipart-mixed"),
  );
  if (family === undefined) throw new Error("No function takes uploads");
  return family;
}

/** The output of `bundleRelay`: the two files that a relay's task copies, and the folder of a function. */
export const relayFiles = {
  program: "relay.cjs",
  settings: "relay-settings.json",
  removal: "remove-relays",
} as const;

/**
 * Bundle the program that runs a relay, the settings, and the function that cleans up after relays, into `outdir`. No
 * shortcut is used: a relay starts only once, and both find their credentials as any program on AWS does.
 */
export async function bundleRelay({ outdir, settings }: BundleOptions): Promise<BundleContents[]> {
  const { sourcemap: _, ...rest } = buildOptions;
  // Before the error that ends a program, Node prints the line that threw it. Without short lines, that is the whole
  // bundle, which leaves no room for the error in the log.
  const options = { ...rest, metafile: true, lineLimit: 500 } as const;
  const builds = await Promise.all([
    build({
      ...options,
      stdin: {
        contents: relayEntryPoint(relayedFunction(), uploadFunction()),
        resolveDir: root,
        loader: "ts",
      },
      outfile: join(outdir, relayFiles.program),
    }),
    build({
      ...options,
      entryPoints: ["lib/relay/remove-relays.ts"],
      outfile: join(outdir, relayFiles.removal, "index.js"),
    }),
  ]);
  writeFileSync(join(outdir, relayFiles.settings), JSON.stringify(settings));
  writeFileSync(join(outdir, relayFiles.removal, "package.json"), '{"type":"commonjs"}');
  return builds
    .flatMap(({ metafile }) => writtenIn(metafile))
    .map(({ folder, packages }) => ({
      bundle: folder === outdir ? "relay" : relayFiles.removal,
      packages: writeNotices(folder, packages),
    }));
}

const entryPrefix = "entry-of:";

/** Provides entry points that exist only while esbuild runs: one per function, all alike. */
const entryPoints = (manifests: readonly FunctionManifest[]): Plugin => ({
  name: "entry-points",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${entryPrefix}`) }, ({ path }) => ({ path, namespace: "entry-points" }));
    onLoad({ filter: /./, namespace: "entry-points" }, ({ path }) => {
      const manifest = manifests.find(({ name }) => path === `${entryPrefix}${name}`);
      return manifest && { contents: entryPoint(manifest), resolveDir: root, loader: "ts" };
    });
  },
});

/** Leaves these modules out of the bundles, which load each from its own file. */
const besideBundle: Plugin = {
  name: "beside-bundle",
  setup({ onResolve }) {
    for (const { module, file } of [...onDemand, ...computed]) {
      onResolve({ filter: new RegExp(`^${module}$`) }, () => ({ path: `./${file}`, external: true }));
    }
  },
};

/** Folders of the functions that load the package. */
const foldersWith = ({ file }: OnDemand, { outputs }: Metafile): string[] =>
  Object.entries(outputs)
    .filter(([, { imports }]) => imports.some(({ path }) => path === `./${file}`))
    .map(([output]) => dirname(join(root, output)));

/** Folders of the packages whose code is in a folder. */
interface Written {
  readonly folder: string;
  readonly packages: readonly string[];
}

const writtenIn = ({ outputs }: Metafile): Written[] =>
  Object.entries(outputs)
    .filter(([path]) => !path.endsWith(".map"))
    .map(([path, { inputs }]) => ({ folder: dirname(join(root, path)), packages: packageFolders(inputs) }));

function writeNotices(folder: string, packageFolders: readonly string[]): BundledPackage[] {
  const packages = packagesIn(packageFolders);
  refuseLicences(packages);
  writeFileSync(join(folder, noticesFile), noticesOf(packages));
  return packages;
}

async function bundleOnDemand({ module, file }: OnDemand, folders: readonly string[]): Promise<Written[]> {
  const { outputFiles, metafile } = await build({
    ...buildOptions,
    stdin: { contents: `export * from "${module}";`, resolveDir: root },
    sourcemap: false,
    write: false,
    metafile: true,
  });
  const packages = Object.values(metafile.outputs).flatMap(({ inputs }) => packageFolders(inputs));
  return folders.map((folder) => {
    for (const { contents } of outputFiles) writeFileSync(join(folder, file), contents);
    return { folder, packages };
  });
}

async function writeComputed({ module, file }: OnDemand, folders: readonly string[]): Promise<void> {
  const values = Object.entries(await import(module));
  const source = values.map(([name, value]) => `exports.${name} = ${JSON.stringify(value)};\n`).join("");
  for (const folder of folders) writeFileSync(join(folder, file), source);
}

/** @returns folder of the package that contains them */
function copyDocsAssets(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const asset of docsAssets) {
    cpSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${asset}`)), join(folder, asset));
  }
  return dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));
}
