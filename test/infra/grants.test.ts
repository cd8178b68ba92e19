import { describe, expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { type FunctionManifest, folderOf, manifestFileOf, modulesOf } from "#lib/function-modules.ts";
import type { Config } from "#shared/platform/config.ts";
import { parseSettings } from "#shared/registry/settings.ts";

/**
 * Resources that a function names while it is created, when every store names its table or bucket. Queues and secrets
 * are mostly named on first use, when `Config` refuses those without a grant.
 */
interface NamedResources {
  readonly tables: ReadonlySet<string>;
  readonly buckets: ReadonlySet<string>;
  readonly queues: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
}

const settings = parseSettings({ productName: "Granted" });
const importFile = (file: string) => import(new URL(`../../${file}`, import.meta.url).href);

async function createRecorded(manifest: FunctionManifest): Promise<NamedResources> {
  const named = {
    tables: new Set<string>(),
    buckets: new Set<string>(),
    queues: new Set<string>(),
    secrets: new Set<string>(),
  };
  const recordIn = (names: Set<string>) => (name: string) => {
    names.add(name);
    return `https://example.com/${name}`;
  };
  const config: Config = {
    settings,
    publicUrl: "https://example.com",
    logLevel: "CRITICAL",
    docsAssets: "",
    socketUrl: "",
    socketsEndpoint: "https://example.com",
    tableName: recordIn(named.tables),
    bucketName: recordIn(named.buckets),
    queueUrl: recordIn(named.queues),
    secretId: recordIn(named.secrets),
  };
  const { factory, parts } = modulesOf(manifest);
  const modules = await Promise.all(
    Object.keys(parts).map((file) => importFile(`${folderOf(manifest)}/${file}`)),
  );
  const { [factory.name]: create } = await importFile(factory.module);
  create(Object.assign({}, ...modules), config);
  return named;
}

/** Describe what a function uses without a grant, and granted tables that it does not use. */
function findWrongGrants(manifest: FunctionManifest, named: NamedResources): string[] {
  const file = manifestFileOf(manifest);
  const { tables = {}, buckets = {}, sends = [], secrets = [], rotates = [] } = manifest;
  const missing = (kind: string, names: ReadonlySet<string>, granted: readonly string[]) =>
    [...names]
      .filter((name) => !granted.includes(name))
      .map((name) => `${file} lacks the ${kind} ${name}, which is used`);
  return [
    ...missing("table", named.tables, Object.keys(tables)),
    ...missing("bucket", named.buckets, Object.keys(buckets)),
    ...missing("queue", named.queues, [...sends, ...triggerOf(manifest)]),
    ...missing("secret", named.secrets, [...secrets, ...rotates]),
    ...Object.keys(tables)
      .filter((name) => !named.tables.has(name))
      .map((name) => `${file} grants the table ${name}, which is not used`),
    ...Object.keys(buckets)
      .filter((name) => !named.buckets.has(name))
      .map((name) => `${file} grants the bucket ${name}, which is not used`),
  ];
}

/** The queue that triggers a worker, which may change when a message is delivered again. */
const triggerOf = (manifest: FunctionManifest): string[] =>
  "trigger" in manifest && "queue" in manifest.trigger ? [manifest.trigger.queue] : [];

describe.each([...families, ...workers])("the manifest of $name", (manifest) => {
  it("grants exactly the tables and buckets that its stores use, and the queues and secrets that it names", async () => {
    expect(findWrongGrants(manifest, await createRecorded(manifest))).toEqual([]);
  });
});

describe("a wrong grant", () => {
  const manifest = families.find(({ name }) => name === "properties") as FunctionManifest;
  const { accounts, ...others } = manifest.tables ?? {};

  it("is reported with its manifest when it is missing", async () => {
    const named = await createRecorded(manifest);
    expect(findWrongGrants({ ...manifest, tables: others }, named)).toEqual([
      "functions/people/properties/family.ts lacks the table accounts, which is used",
    ]);
  });

  it("is reported with its manifest when it is superfluous", async () => {
    const named = await createRecorded(manifest);
    expect(findWrongGrants({ ...manifest, tables: { accounts, ...others, oauth: "read" } }, named)).toEqual([
      "functions/people/properties/family.ts grants the table oauth, which is not used",
    ]);
  });
});
