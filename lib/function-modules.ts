import type { Family, Worker } from "#shared/platform/manifest.ts";

/** An endpoint family or a worker: whatever is deployed as one Lambda function. */
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
        parts: { "family.ts": "family", "deps.ts": "createDeps", "handlers.ts": "createHandlers" },
      } as const)
    : ({
        factory: { module: "shared/runtime/worker-function.ts", name: "createWorkerFunction" },
        parts: { "worker.ts": "worker", "deps.ts": "createDeps", "handler.ts": "createHandler" },
      } as const);

/** Source of the entry point of a function's bundle; it resolves from any folder of the project. */
export const entryPoint = (manifest: FunctionManifest): string =>
  [...handlerSource(manifest), "export { handler };"].join("\n");

/** Source of the program that runs a relay with the function behind the WebSocket API. */
export const relayEntryPoint = (manifest: FunctionManifest): string =>
  [
    `import { serveRelay } from "#lib/relay/serve-relay.ts";`,
    ...handlerSource(manifest),
    "void serveRelay(handler, config);",
  ].join("\n");

function handlerSource(manifest: FunctionManifest): string[] {
  const { factory, parts } = modulesOf(manifest);
  const names = Object.values(parts);
  return [
    `import { readConfig } from "#shared/platform/config.ts";`,
    `import { ${factory.name} } from "#${factory.module}";`,
    ...Object.entries(parts).map(
      ([file, name]) => `import { ${name} } from "#${folderOf(manifest)}/${file}";`,
    ),
    "const config = readConfig(process.env);",
    `const handler = ${factory.name}({ ${names.join(", ")} }, config);`,
  ];
}
