import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Modules of dependencies that no function ever uses: every export of theirs is a function that throws. Without them
 * bundles are smaller, and Node compiles them in less time.
 */
const unused = [
  // JSON schemas, which only the API document is made of.
  "zod/v4/core/json-schema-processors",
  "zod/v4/core/to-json-schema",
  // Digests for where Node has none.
  "Sha256Js",
  "Sha1Js",
  "Md5Js",
  // Retries that slow down by themselves, and the region as machines find it out: neither is configured.
  "util-retry/AdaptiveRetryStrategy",
  "regionConfig/getInstanceMetadataRegion",
  // Checksums of web streams: nothing sends one.
  "checksum/createChecksumStream.browser",
];

/** What stands for modules of dependencies whose work on Lambda is less than theirs anywhere. */
const replacements = {
  // Functions have no home with files of configuration, which each start would look for.
  "shared-ini-file-loader/loadSharedConfigFiles": `
    export { CONFIG_PREFIX_SEPARATOR } from "./constants";
    export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  // The id of each call; the original loads Web Crypto for it.
  "serde/uuid/v4": `
    import { randomUUID } from "node:crypto";
    export const bindV4 = () => () => randomUUID();`,
  // The original asks for web streams as well, which Node loads then: nothing sends one.
  "isStreamingPayload/isStreamingPayload": `
    import { Readable } from "node:stream";
    export const isStreamingPayload = (request) => request?.body instanceof Readable;`,
  // Addresses of DynamoDB by account, which the service does not hand out.
  "@aws-sdk/endpoint-cache/dist-es/EndpointCache": "export class EndpointCache {}",
};

/** Modules of a package that does not say of itself that those which nobody uses may be left out. */
const withoutEffects = /\/node_modules\/@aws-sdk\/lib-dynamodb\//;

/** Leaves out of the bundles what dependencies bring and no function needs. */
export const leftOut: Plugin = {
  name: "left-out",
  setup({ onLoad, onResolve }) {
    onLoad({ filter: endOf(unused) }, ({ path }) => ({ contents: withoutContents(path) }));
    for (const [module, contents] of Object.entries(replacements)) {
      onLoad({ filter: endOf([module]) }, ({ path }) => ({ contents, resolveDir: join(path, "..") }));
    }
    onLoad({ filter: /\/@aws-sdk\/client-[^/]+\/package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, "utf8"));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
    onLoad({ filter: /\/@aws-sdk\/client-[^/]+\/dist-es\/schemas\/schemas_0\.js$/ }, ({ path }) => ({
      contents: withPlainKeys(readFileSync(path, "utf8")),
    }));
    onResolve({ filter: /\/\w+(Command|Paginator)$/ }, ({ path, importer, resolveDir }) =>
      withoutEffects.test(importer)
        ? { path: join(resolveDir, `${path}.js`), sideEffects: false }
        : undefined,
    );
  },
};

const endOf = (modules: readonly string[]) =>
  new RegExp(`/(?:${modules.join("|").replaceAll(".", "\\.")})\\.js$`);

function withoutContents(path: string): string {
  const names = readFileSync(path, "utf8").matchAll(/^export (?:const|function|class) (\w+)/gm);
  const file = JSON.stringify(path.replace(/.*\/node_modules\//, ""));
  return [
    `function leftOut() { throw new Error(${file} + " is left out of the bundles"); }`,
    ...[...names].map(([, name]) => `export { leftOut as ${name} };`),
  ].join("\n");
}

/**
 * Writes keys of objects as what they are: for esbuild a key in brackets may have effects, so it keeps the shapes of all
 * commands of a service, and not only those of commands that are used.
 */
function withPlainKeys(source: string): string {
  const constants = new Map(
    [...source.matchAll(/^const (_\w+) = ("(?:[^"\\]|\\.)*");$/gm)].map(([, name, text]) => [name, text]),
  );
  return source.replace(/\[(_\w+)\]:/g, (key, name) =>
    constants.has(name) ? `${constants.get(name)}:` : key,
  );
}
