import type { Account } from "#shared/accounts/account.ts";
import { announceUpdate } from "#shared/accounts/announce-update.ts";
import { changeAccount } from "#shared/accounts/self/change-account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";

type Protocols = Account["supportedProtocols"];

/**
 * Set the protocols that all devices of the user support.
 * @throws ApiError `mls-protocol-downgrade` when MLS is removed, which would break the groups that the user has joined
 * @see operation `change-supported-protocols`
 */
export async function changeSupportedProtocols(deps: Deps, actor: Actor, wanted: Protocols): Promise<void> {
  await changeAccount(deps, actor.userId, (account) => {
    const isAdded = (protocol: Protocols[number]) => !account.supportedProtocols.includes(protocol);
    const isDropped = (protocol: Protocols[number]) => !wanted.includes(protocol);
    const dropped = account.supportedProtocols.filter(isDropped);
    if (dropped.includes("mls")) throw new ApiError("mls-protocol-downgrade");
    if (dropped.length === 0 && !wanted.some(isAdded)) return undefined;
    const supportedProtocols = [...new Set(wanted)];
    return {
      next: { ...account, supportedProtocols },
      messages: announceUpdate(deps, account, actor, { supported_protocols: supportedProtocols }),
    };
  });
}
