import type { Account } from "#shared/accounts/account.ts";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { stackConfig } from "./stack-config.ts";

type AccountChange = Partial<
  Pick<
    Account,
    "name" | "handle" | "teamId" | "status" | "email" | "managedByScim" | "samlIdentity" | "passwordHash"
  >
>;

/** Create an editor that changes a stack's accounts as its functions do: with claims and an index update. */
export function accountEditor({ prefix = "test" }: { prefix?: string } = {}) {
  const config = stackConfig(prefix);
  const dynamo = createDynamo();
  const accounts = new AccountStore({ dynamo, config, clock: systemClock });
  const outbox = new Outbox({ config, clock: systemClock, log: createLog("test", "CRITICAL") });
  return {
    async change({ id }: { id: string }, fields: AccountChange): Promise<void> {
      await change({ dynamo }, async () => {
        const account = await accounts.get(id);
        if (account === undefined) throw new Error(`No account ${id}`);
        const changed = { ...account, ...fields };
        return {
          writes: accounts.save(account, changed),
          messages: indexUpdateMessages(outbox, account, changed),
        };
      });
    },
  };
}
