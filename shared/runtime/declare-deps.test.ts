import { describe, expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { type FunctionManifest, folderOf } from "#lib/function-modules.ts";
import type { Config } from "#shared/platform/config.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { declareDeps } from "./declare-deps.ts";
import { createRuntime, type Runtime } from "./runtime.ts";

const config: Config = {
  settings: parseSettings({}),
  publicUrl: "https://parley.example.com",
  logLevel: "CRITICAL",
  docsAssets: "",
  socketUrl: "",
  socketsEndpoint: "https://sockets.example.com",
  relayQueues: "https://relays.example.com/",
  tableName: (name) => name,
  bucketName: (name) => name,
  queueUrl: (name) => `https://queues.example.com/${name}`,
  secretId: (name) => name,
};
const runtime = createRuntime("test", config);

class Shelf {
  readonly books = 3;
}
class Reader {
  readonly shelf: Shelf;
  constructor({ shelf }: { readonly shelf: Shelf }) {
    this.shelf = shelf;
  }
}

describe("declared deps", () => {
  it("are created once, from those above them, and followed by the function's own", () => {
    const create = declareDeps({ shelf: Shelf, reader: Reader }, ({ shelf }) => ({ twice: 2 * shelf.books }));
    const deps = create(runtime);
    expect(deps.reader.shelf).toBe(deps.shelf);
    expect(deps.twice).toBe(6);
  });

  it("fail at the start when one needs another below it", () => {
    const create = declareDeps({ reader: Reader, shelf: Shelf });
    expect(() => create(runtime)).toThrow('deps.ts must declare "shelf" above the parts that need it');
  });
});

it.each([...families, ...workers].map((manifest: FunctionManifest) => [manifest.name, manifest] as const))(
  "the deps of %s can be created",
  async (_name, manifest) => {
    const { createDeps }: { createDeps: (runtime: Runtime) => object } = await import(
      new URL(`../../${folderOf(manifest)}/${"routes" in manifest ? "deps" : "handler"}.ts`, import.meta.url)
        .href
    );
    expect(createDeps(runtime)).toMatchObject({ settings: config.settings });
  },
);
