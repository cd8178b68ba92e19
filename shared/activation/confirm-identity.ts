import { codesToUser } from "../auth/codes-to-user.ts";
import type { VerificationCodes } from "../auth/verification-code.ts";
import { type Account, isActivated } from "../data/account/account.ts";
import type { AccountStore } from "../data/account/account-store.ts";
import type { ContactIdentity } from "../data/account/identity.ts";
import type { CodeStore } from "../data/code/code-store.ts";
import type { Write } from "../data/conditions.ts";
import type { EventPublisher } from "../events/publisher.ts";
import { userUpdatePrivately } from "../events/user-update.ts";
import type { Outbox, StagedMessage } from "../messaging/outbox.ts";
import { stageIndexUpdate } from "../search/stage-index-update.ts";
import { type ActivationDeps, announceActivation } from "./announce-activation.ts";

interface Deps extends ActivationDeps {
  readonly accounts: AccountStore;
  readonly codes: CodeStore;
  readonly events: EventPublisher;
  readonly outbox: Outbox;
  readonly verificationCodes: VerificationCodes;
}

export interface Confirmation {
  /** Of the account, its claims, and the messages. */
  readonly writes: readonly Write[];
  /** To be sent after the commit. */
  readonly messages: readonly StagedMessage[];
  /** Whether this activates the account. */
  readonly isFirst: boolean;
}

/**
 * What has to be written and told when an address or number turns out to be the account's own: it replaces the one
 * that the account had of its kind. The codes that the account was sent before end, because they may lie in a mailbox
 * that is the owner's no more.
 */
export async function confirmIdentity(
  deps: Deps,
  account: Account,
  identity: ContactIdentity,
): Promise<Confirmation> {
  const { accounts, codes, outbox, verificationCodes } = deps;
  const { kind, value } = identity;
  const confirmed: Account = {
    ...account,
    ...(kind === "email"
      ? { email: value, emailUnvalidated: undefined }
      : { phone: value, phoneUnvalidated: undefined }),
  };
  const isFirst = !isActivated(account);
  const messages = [
    ...(isFirst ? announceActivation(deps, confirmed) : announceChange(deps, account, identity)),
    ...stageIndexUpdate(outbox, account, confirmed),
  ];
  const ended = isFirst ? [] : await codesToUser(verificationCodes, account.userId);
  return {
    isFirst,
    messages,
    writes: [
      ...accounts.save(account, confirmed),
      ...ended.map(({ purpose, key }) => codes.discard(purpose, key)),
      ...messages.map(({ write }) => write),
    ],
  };
}

function announceChange({ events }: Deps, account: Account, { kind, value }: ContactIdentity) {
  const { userId } = account;
  if (account[kind] === value) return [];
  const user = { id: userId, [kind]: value };
  return events.stage(userUpdatePrivately, { user }, { sender: userId, recipients: [{ userId }] });
}
