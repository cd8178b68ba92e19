import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { StaleReadError } from "#shared/platform/data/conditions.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import { type Account, type Claim, isProvable } from "../account.ts";
import { IdentityTakenError } from "../account-errors.ts";
import type { FormerOwner } from "../account-store.ts";
import { userIdentityRemove } from "../events.ts";
import type { ContactIdentity } from "../identity.ts";
import { indexUpdateMessages } from "../index-update.ts";
import { codesToUser } from "../second-factor/codes-to-user.ts";

type Deps = Pick<AccountDeps, "accounts" | "codes" | "events" | "outbox" | "verificationCodes">;

/** Writes for the transaction in which an address gets another owner. */
export interface Takeover extends Change {
  /** For `AccountStore.save`. */
  readonly formerOwner?: FormerOwner;
}

/**
 * Takes an address from the account that has it without proof, for a user who has proved it; codes that were sent to
 * that account are discarded. An identity that is free or the user's own is left as it is.
 *
 * @throws IdentityTakenError when another account has proved it
 */
export async function takeUnproven(
  deps: Deps,
  { userId }: Pick<Account, "userId">,
  identity: ContactIdentity,
  claim: Claim | undefined,
): Promise<Takeover> {
  if (claim === undefined || claim.userId === userId) return { writes: [], messages: [] };
  if (!isProvable(claim, identity)) throw new IdentityTakenError(identity.kind);
  const { accounts, codes, events, outbox, verificationCodes } = deps;
  const [previous, discarded] = await Promise.all([
    accounts.get(claim.userId),
    codesToUser(verificationCodes, claim.userId),
  ]);
  if (previous?.email === undefined || previous.email !== previous.unprovenEmail)
    throw new StaleReadError(`claim of account ${claim.userId}`);
  const { email } = previous;
  const next = { ...previous, email: undefined, unprovenEmail: undefined };
  return {
    formerOwner: { previous, next },
    writes: discarded.map(({ purpose, key }) => codes.discard(purpose, key)),
    messages: [
      ...events.toSelf({ userId: claim.userId }, userIdentityRemove, { user: { id: claim.userId, email } }),
      ...indexUpdateMessages(outbox, previous, next),
    ],
  };
}
