import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { type Change, combine } from "#shared/platform/messaging/change.ts";
import { type Account, type Claim, isActivated } from "../account.ts";
import { userUpdatePrivately } from "../events.ts";
import type { ContactIdentity } from "../identity.ts";
import { indexUpdateMessages } from "../index-update.ts";
import { codesToUser } from "../second-factor/codes-to-user.ts";
import { type ActivationDeps, announceActivation } from "./announce-activation.ts";
import { takeUnproven } from "./take-unproven.ts";

type Deps = ActivationDeps &
  Pick<AccountDeps, "accounts" | "codes" | "events" | "outbox" | "teams" | "verificationCodes">;

/** The changes by confirming an identity. */
export interface Confirmation extends Change {
  /** Whether this activates the account. */
  readonly isFirst: boolean;
}

/**
 * Decides what to write and announce when an address or number is verified: it replaces the account's previous one of
 * that kind. A team that the account has founded becomes active with it. Codes sent to the account earlier are
 * discarded, because they may be in a mailbox that the owner no longer controls.
 *
 * @param claim on the identity
 * @throws IdentityTakenError
 */
export async function confirmIdentity(
  deps: Deps,
  account: Account,
  identity: ContactIdentity,
  claim: Claim | undefined,
): Promise<Confirmation> {
  const { accounts, codes, outbox, verificationCodes } = deps;
  const { kind, value } = identity;
  const confirmed: Account = {
    ...account,
    ...(kind === "email"
      ? { email: value, emailUnvalidated: undefined, unprovenEmail: undefined }
      : { phone: value, phoneUnvalidated: undefined }),
  };
  const isFirst = !isActivated(account);
  const taking = await takeUnproven(deps, account, identity, claim);
  const messages = [
    ...(isFirst ? announceActivation(deps, confirmed) : announceChange(deps, account, identity)),
    ...indexUpdateMessages(outbox, account, confirmed),
  ];
  const activation = isFirst ? await teamActivation(deps, account) : [];
  const discarded = isFirst ? [] : await codesToUser(verificationCodes, account.userId);
  const confirming = combine({ writes: accounts.save(account, confirmed, taking.formerOwner) }, taking, {
    writes: [...activation, ...discarded.map(({ purpose, key }) => codes.discard(purpose, key))],
    messages,
  });
  return { isFirst, ...confirming };
}

async function teamActivation({ clock, teams }: Deps, { teamId, userId }: Account): Promise<Write[]> {
  const team = teamId === undefined ? undefined : await teams.get(teamId);
  return team?.status === "pending_active" && team.creator === userId
    ? [teams.changeStatus(team, { status: "active", statusChangedAt: clock() })]
    : [];
}

function announceChange({ events }: Deps, account: Account, { kind, value }: ContactIdentity) {
  const { userId } = account;
  if (account[kind] === value) return [];
  const user = { id: userId, [kind]: value };
  return events.toSelf({ userId }, userUpdatePrivately, { user });
}
