import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { teamDelete, teamMemberLeave } from "#shared/teams/events.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import { type Account, tombstoneOf } from "./account.ts";
import { orderErasure } from "./erasure-order.ts";
import { userDelete } from "./events.ts";
import { storedContacts, storedEmailIdentity } from "./identity.ts";
import { activationKey } from "./identity-lookup.ts";
import { indexUpdateMessages } from "./index-update.ts";

/** Dependencies of deleting an account. */
export type DeletionDeps = Pick<
  AccountDeps,
  "accounts" | "clock" | "dynamo" | "events" | "outbox" | "sessions" | "settings" | "teams"
>;

interface DeletionOptions {
  readonly origin?: Actor;
  readonly conditions?: ((attempt: number) => readonly Write[] | Promise<readonly Write[]>) | undefined;
  readonly isTeamDeleted?: boolean;
  readonly isOwnDecision?: boolean;
  readonly isStillWanted?: (account: Account) => boolean;
}

/**
 * Delete an account: it immediately becomes a tombstone without identities, cookies and team; the worker `erasure`
 * erases what belonged to it.
 *
 * @param options.conditions called in each attempt; creates writes that join the transaction, such as the consumption
 * of a single-use code
 * @param options.isTeamDeleted whether this is part of the deletion of its team, which no longer counts its members;
 * the same transaction tells the member
 * @param options.isOwnDecision whether the user deletes their own account, which the owner of a team may not
 * @param options.isStillWanted called in each attempt with the present account; whether to delete it
 * @returns whether this call deleted the account; false when it was deleted already or is no longer to be, undefined
 * when it does not exist
 * @throws LastOwnerError when its team would be left without an owner
 * @throws ApiError `no-self-delete-for-team-owner`
 */
export async function deleteAccount(
  deps: DeletionDeps,
  userId: string,
  { origin, conditions, isTeamDeleted = false, isOwnDecision = false, isStillWanted }: DeletionOptions = {},
): Promise<boolean | undefined> {
  const { accounts, events, outbox, sessions, settings } = deps;
  return change<boolean | undefined>(deps, async (attempt) => {
    const [account, joining = []] = await Promise.all([accounts.get(userId), conditions?.(attempt)]);
    if (account === undefined) return { result: undefined };
    if (account.status === "deleted" || isStillWanted?.(account) === false) return { result: false };
    const tombstone = tombstoneOf(account);
    const departure = await leaveTeam(deps, account, { origin, isTeamDeleted, isOwnDecision });
    const event = { id: userId, qualified_id: { domain: settings.domain, id: userId } };
    const deletion = {
      writes: [
        ...accounts.save(account, tombstone),
        sessions.revokeAll(userId, tombstone.sessionEpoch, { isErased: true }),
        sessions.removeLegalHold(userId),
      ],
      messages: [
        ...events.to({ group: userId, recipients: [{ userId }], origin }, userDelete, event),
        ...indexUpdateMessages(outbox, account, tombstone),
        closeSockets(outbox, { userId }),
        orderErasure(outbox, {
          userId,
          teamId: account.teamId,
          activationKeys: contactIdentitiesOf(account, settings).map(activationKey),
          assetKeys: account.assets.map(({ key }) => key),
          invited: { addressKeys: addressKeysOf(account, settings), before: deps.clock() },
        }),
      ],
    };
    return { ...combine(deletion, departure, { writes: joining }), result: true };
  });
}

/** Decides how a member leaves their team, which ends the account. */
async function leaveTeam(
  { clock, events, teams }: DeletionDeps,
  { userId, teamId }: Account,
  {
    origin,
    isTeamDeleted,
    isOwnDecision,
  }: Pick<DeletionOptions, "origin" | "isTeamDeleted" | "isOwnDecision">,
): Promise<Change> {
  const member = teamId === undefined ? undefined : await teams.getMember({ teamId, userId });
  if (teamId === undefined || member === undefined) return { writes: [], messages: [] };
  if (isOwnDecision) checkMayLeave(member);
  const time = new Date(clock()).toISOString();
  if (isTeamDeleted) {
    const event = { team: teamId, time, data: null };
    return { writes: teams.removeLeftOver(member), messages: events.toUser({ userId }, teamDelete, event) };
  }
  const audience = {
    group: userId,
    recipients: [{ userId }],
    membersOf: { teamId, members: "all-unless-limited" as const },
    origin,
  };
  const event = { team: teamId, time, data: { user: userId } };
  return { writes: teams.removeMember(member), messages: events.to(audience, teamMemberLeave, event) };
}

/**
 * Check that a member may leave by deleting their own account.
 * @throws ApiError `no-self-delete-for-team-owner`, also when the team has another owner
 */
export function checkMayLeave(member: Member | undefined): void {
  if (member !== undefined && hasOwnerRights(member)) throw new ApiError("no-self-delete-for-team-owner");
}

const addressKeysOf = ({ email, emailUnvalidated, unprovenEmail }: Account, settings: Settings): string[] =>
  [email, emailUnvalidated, unprovenEmail].flatMap((address) =>
    address === undefined ? [] : [storedEmailIdentity(address, settings).key],
  );

function contactIdentitiesOf(
  { email, emailUnvalidated, phone, phoneUnvalidated }: Account,
  settings: Settings,
) {
  return [
    ...storedContacts({ email, phone }, settings),
    ...storedContacts({ email: emailUnvalidated, phone: phoneUnvalidated }, settings),
  ];
}
