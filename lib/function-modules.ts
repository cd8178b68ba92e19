import type { Family, Worker } from "#shared/platform/manifest.ts";

/** An endpoint family or a worker: a unit that is deployed as one Lambda function. */
export type FunctionManifest = Family | Worker;

/** Folder of a function's code, relative to the root of the project. */
export const folderOf = ({ domain, name }: FunctionManifest) => `functions/${domain}/${name}`;

/** The manifest in that folder. */
export const manifestFileOf = (manifest: FunctionManifest) =>
  `${folderOf(manifest)}/${"routes" in manifest ? "family" : "worker"}.ts`;

/**
 * The modules of a function's folder, and the factory that makes its Lambda handler from them. The bundler writes an
 * entry point that imports them; the local runner imports them itself.
 */
export const modulesOf = (manifest: FunctionManifest) =>
  "routes" in manifest
    ? ({
        factory: { module: "shared/runtime/api-function.ts", name: "createApiFunction" },
        parts: { "family.ts": ["family"], "deps.ts": ["createDeps"], "handlers.ts": ["createHandlers"] },
      } as const)
    : ({
        factory: { module: "shared/runtime/worker-function.ts", name: "createWorkerFunction" },
        parts: { "worker.ts": ["worker"], "handler.ts": ["createDeps", "createHandler"] },
      } as const);

/** Source of the entry point of a function's bundle; it resolves from any folder of the project. */
export const entryPoint = (manifest: FunctionManifest): string =>
  [...handlerSource(manifest), "export { handler };"].join("\n");

/** Source of the program that runs a relay with the functions behind the WebSocket API and behind uploads. */
export const relayEntryPoint = (ofSockets: FunctionManifest, ofUploads: FunctionManifest): string => {
  const uploads = partsSource(ofUploads, "OfUploads");
  return [
    `import { serveRelay } from "#lib/relay/serve-relay.ts";`,
    ...uploads.imports,
    ...handlerSource(ofSockets),
    `const uploads = { family: familyOfUploads, createHandler: () => ${uploads.call} };`,
    "void serveRelay(handler, config, { uploads });",
  ].join("\n");
};

function handlerSource(manifest: FunctionManifest): string[] {
  const { imports, call } = partsSource(manifest);
  return [
    `import { readConfig } from "#shared/platform/config.ts";`,
    ...imports,
    "const config = readConfig(process.env);",
    `const handler = ${call};`,
  ];
}

/**
 * The imports and the call that make the handler of a function from its modules.
 * @param suffix distinguishes the names of two functions
 */
function partsSource(manifest: FunctionManifest, suffix = ""): { imports: string[]; call: string } {
  const { factory, parts } = modulesOf(manifest);
  const imported = (name: string) => (suffix === "" ? name : `${name} as ${name}${suffix}`);
  const passed = (name: string) => (suffix === "" ? name : `${name}: ${name}${suffix}`);
  return {
    imports: [
      `import { ${factory.name} } from "#${factory.module}";`,
      ...Object.entries(parts).map(
        ([file, names]) =>
          `import { ${names.map(imported).join(", ")} } from "#${folderOf(manifest)}/${file}";`,
      ),
    ],
    call: `${factory.name}({ ${Object.values(parts).flat().map(passed).join(", ")} }, config)`,
  };
}
