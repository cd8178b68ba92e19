import type { Account } from "#shared/data/account/account.ts";
import { ApiError } from "#shared/errors.ts";
import type { Actor } from "#shared/http/route.ts";
import { announceUpdate } from "./announce-update.ts";
import { changeAccount } from "./change-account.ts";
import type { Deps } from "./deps.ts";

type Protocols = Account["supportedProtocols"];

/**
 * @throws ApiError `mls-protocol-downgrade`: groups that the user has joined by then would break
 * @see operation `change-supported-protocols`
 */
export async function changeSupportedProtocols(deps: Deps, actor: Actor, wish: Protocols): Promise<void> {
  await changeAccount(deps, actor.userId, (account) => {
    const isAdded = (protocol: Protocols[number]) => !account.supportedProtocols.includes(protocol);
    const isDropped = (protocol: Protocols[number]) => !wish.includes(protocol);
    const dropped = account.supportedProtocols.filter(isDropped);
    if (dropped.includes("mls")) throw new ApiError("mls-protocol-downgrade");
    if (dropped.length === 0 && !wish.some(isAdded)) return undefined;
    const supportedProtocols = [...new Set(wish)];
    return {
      next: { ...account, supportedProtocols },
      messages: announceUpdate(deps, actor, { supported_protocols: supportedProtocols }),
    };
  });
}
