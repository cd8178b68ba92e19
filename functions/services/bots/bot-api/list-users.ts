import { type Account, currentStatus } from "#shared/accounts/account.ts";
import type { BotActor } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { checkBot } from "./read-bot.ts";

/**
 * Users by their ids, whether or not they are in the bot's conversation; unknown ones are left out.
 * @throws ApiError `bot-access-denied`
 * @see operation `bot-list-users`
 */
export async function listUsers(
  deps: Pick<Deps, "accounts" | "clock" | "services">,
  bot: BotActor,
  userIds: readonly string[],
): Promise<Account[]> {
  const [accounts] = await Promise.all([deps.accounts.getMany(userIds), checkBot(deps, bot)]);
  const now = deps.clock();
  return accounts.filter((account) =>
    ["active", "ephemeral", "suspended"].includes(currentStatus(account, now)),
  );
}
