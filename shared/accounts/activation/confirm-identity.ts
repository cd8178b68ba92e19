import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import { type Change, combine } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { TeamStore } from "#shared/teams/team-store.ts";
import { type Account, type Claim, isActivated, isProvable } from "../account.ts";
import { IdentityTakenError } from "../account-errors.ts";
import type { FormerOwner } from "../account-store.ts";
import { userActivate, userIdentityRemove, userUpdatePrivately } from "../events.ts";
import type { ContactIdentity } from "../identity.ts";
import { indexUpdateMessages } from "../index-update.ts";
import { toSelfProfile } from "../profiles/self-profile.ts";
import { codesToUser } from "../second-factor/codes-to-user.ts";
import type { AccountAndTeam } from "./activation-code.ts";

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

/** Adds the name of the team that an account is founding, while neither is active. */
export async function withFoundedTeam(teams: TeamStore, account: Account): Promise<AccountAndTeam> {
  if (account.teamId === undefined || isActivated(account)) return account;
  const team = await teams.get(account.teamId);
  return team?.creator === account.userId ? { ...account, foundedTeam: team.name } : account;
}

/** Dependencies of announcing an activation. */
type ActivationDeps = Pick<AccountDeps, "clock" | "events" | "settings">;

/**
 * Creates the event that tells a user's own devices that the account has been activated.
 * @param options.isNew whether the same transaction creates the account
 */
export function announceActivation(
  { clock, events, settings }: ActivationDeps,
  account: Account,
  { isNew = false } = {},
): OutboxMessage[] {
  const { userId } = account;
  const user = toSelfProfile(account, settings, clock());
  const recipient = { userId, ...(isNew && { isNew }) };
  return events.to({ group: userId, recipients: [recipient], origin: { userId } }, userActivate, { user });
}

type TakingDeps = Pick<AccountDeps, "accounts" | "codes" | "events" | "outbox" | "verificationCodes">;

/** Writes for the transaction in which an address gets another owner. */
interface Takeover extends Change {
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
  deps: TakingDeps,
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
