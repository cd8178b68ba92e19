import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { DeviceStore } from "#shared/data/device/device-store.ts";
import { KeyPackageStore } from "#shared/data/key-package/key-package-store.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("key-packages", config, overrides);
  const client = createDocumentClient();
  return {
    ...runtime,
    accounts: new AccountStore(client, config),
    devices: new DeviceStore(client, config),
    keyPackages: new KeyPackageStore(client, config, runtime.clock),
  };
}
