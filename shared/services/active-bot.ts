import { type Account, currentStatus } from "#shared/accounts/account.ts";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { ServiceStore } from "./service-store.ts";

interface ServiceDeps {
  readonly services: Pick<ServiceStore, "get">;
}

/**
 * Whether a bot may act: its token never expires, so it outlives the bot. The service is read when that of the account is
 * known, in one request with the account of whoever pays for the bot.
 */
export async function isActiveBot(
  {
    accounts,
    clock,
    services,
  }: ServiceDeps & { readonly accounts: Pick<AccountStore, "get">; readonly clock: Clock },
  botId: string,
): Promise<boolean> {
  const account = await accounts.get(botId);
  if (account?.service === undefined || currentStatus(account, clock()) !== "active") return false;
  return isSwitchedOn({ services }, account.service);
}

/** Whether a service neither has been switched off, by its provider or an operator, nor is being deleted. */
export async function isSwitchedOn(
  { services }: ServiceDeps,
  { provider, id }: NonNullable<Account["service"]>,
): Promise<boolean> {
  return (await services.get(provider, id))?.isEnabled === true;
}
