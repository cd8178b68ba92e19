import { inject } from "vitest";
import { systemClock } from "#shared/clock.ts";
import type { Account } from "#shared/data/account/account.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { createLog } from "#shared/log.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { stageIndexUpdate } from "#shared/search/stage-index-update.ts";
import { stackConfig } from "./events.ts";

type Change = Partial<Pick<Account, "name" | "handle" | "teamId" | "status" | "email" | "managedByScim">>;

/** Changes accounts of a stack as its functions do: with their claims, and a message to the search index. */
export function accountEditor({ prefix = "test" }: { prefix?: string } = {}) {
  const { environment } = inject("emulators");
  Object.assign(process.env, environment);
  const config = stackConfig(prefix);
  const client = createDocumentClient();
  const accounts = new AccountStore(client, config);
  const outbox = new Outbox(config, systemClock, createLog("test", "CRITICAL"));
  return {
    async change({ id }: { id: string }, change: Change): Promise<void> {
      const messages = await retryStale(async () => {
        const account = await accounts.get(id);
        if (account === undefined) throw new Error(`No account ${id}`);
        const changed = { ...account, ...change };
        const staged = stageIndexUpdate(outbox, account, changed);
        await transact(client, [...accounts.save(account, changed), ...staged.map(({ write }) => write)]);
        return staged;
      });
      await Promise.all(messages.map((message) => message.send()));
    },
  };
}
