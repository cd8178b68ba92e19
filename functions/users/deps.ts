import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { RichInfoStore } from "#shared/data/rich-info/rich-info-store.ts";
import { ExpiredAccounts } from "#shared/erasure/expired-account.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("users", config, overrides);
  const client = createDocumentClient();
  return {
    ...runtime,
    accounts: new AccountStore(client, config),
    expiredAccounts: new ExpiredAccounts(config, runtime.clock, runtime.log),
    richInfo: new RichInfoStore(client, config),
  };
}
