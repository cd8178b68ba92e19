import type { Account } from "#shared/accounts/account.ts";
import { announceChanges } from "#shared/accounts/announce-update.ts";
import { emailIdentity, isSameMailbox } from "#shared/accounts/identity.ts";
import { indexUpdateMessages, userIndexUpdate } from "#shared/accounts/index-update.ts";
import { answerJoining } from "#shared/accounts/join-team.ts";
import { effectsOf } from "#shared/accounts/status-change.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { isSameContent } from "#shared/platform/data/unknown-fields.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import {
  type EmailChange,
  findProvisionedEmail,
  validateProvisionedEmail,
} from "#shared/provisioning/validate-email.ts";
import { announcePermissions } from "#shared/teams/announce.ts";
import { hasOwnerRights } from "#shared/teams/member.ts";
import { permissionsOf, roleOf } from "#shared/teams/permissions.ts";
import type { Deps } from "../deps.ts";
import { adoptedAccount, isAdopted, withFreeHandle } from "./adopt-user.ts";
import { addressOf, changedProfile, shownEmail } from "./profile.ts";
import { renderUser } from "./render-user.ts";
import type { UserView } from "./routes.ts";
import { type ScimUser, toScimUser } from "./scim-user.ts";
import {
  answerLastOwner,
  protectOwners,
  readTeamUser,
  requireOtherOwner,
  type TeamUser,
} from "./team-user.ts";
import { answerTaken } from "./uniqueness.ts";
import { chooseHandle } from "./user-name.ts";

/**
 * Bring a user into the state that the directory describes. A member whom no directory manages yet is adopted. Writes
 * nothing when nothing changes.
 *
 * @param wanted gets the user as it is; called again when the user has changed meanwhile
 * @throws ApiError `scim-not-found`, `scim-invalid-value`, `scim-uniqueness`, `scim-forbidden` (an owner); what
 * `wanted`, `validateProvisionedEmail` and `answerJoining` throw
 * @see operations `scim-replace-user`, `scim-patch-user`
 */
export async function replaceUser(
  deps: Deps,
  provisioner: Provisioner,
  userId: string,
  wanted: (present: ScimUser) => ScimUser,
): Promise<UserView> {
  return withFreeHandle((handle) =>
    change<UserView>(deps, async () => {
      const stored = await readTeamUser(deps, provisioner, userId);
      if (stored === undefined) throw new ApiError("scim-not-found");
      const account = isAdopted(stored.account)
        ? stored.account
        : adoptedAccount(deps, stored, undefined, handle);
      if (account === undefined) throw new ApiError("scim-not-found");
      const user = { ...stored, account };
      const next = wanted(toScimUser(user));
      protectOwners(user, next);
      return decide(deps, stored.account, user, next);
    }),
  )
    .catch(answerTaken)
    .catch(answerJoining)
    .catch(answerLastOwner);
}

async function decide(
  deps: Deps,
  stored: Account,
  user: TeamUser,
  wanted: ScimUser,
): Promise<Partial<Change> & { result: UserView }> {
  const { accounts, clock, identityProviders, outbox, settings } = deps;
  const { member, provider } = user;
  const address = addressOf(wanted, {
    hasProvider: provider !== undefined,
    isKnown: wanted.externalId === user.account.scim?.externalId,
    settings,
  });
  const handle = await chooseHandle(deps, wanted.userName, user.account);
  const profile = changedProfile(deps, user, wanted, { address, handle });
  const email = await addressChange(deps, stored, profile, address);
  const permissions = permissionChange(deps, user, wanted);
  const richInfo = richInfoWrites(deps, user, wanted);
  const isSame =
    isSameContent(defined({ ...profile, ...email.fields }), defined(stored)) &&
    permissions.writes.length + richInfo.length === 0;
  if (isSame) return { result: renderUser(deps, user) };

  const next: Account = { ...profile, ...email.fields, scim: { ...profile.scim, updatedAt: clock() } };
  const isSuspended = stored.status === "active" && next.status === "suspended";
  const otherOwner =
    isSuspended && member && hasOwnerRights(member) && (await requireOtherOwner(deps, member));
  const hasNewIdentity = provider !== undefined && next.samlIdentity !== stored.samlIdentity;
  const indexed = indexUpdateMessages(outbox, stored, next);
  const hasNewRole = permissions.writes.length > 0;
  const effects = combine(
    { writes: accounts.save(stored, next), messages: announceChanges(deps, stored, next) },
    permissions,
    { writes: richInfo },
    email,
    next.status === stored.status ? undefined : effectsOf(deps, next),
    otherOwner ? { writes: otherOwner } : undefined,
    hasNewIdentity ? { writes: [identityProviders.addReference(provider)] } : undefined,
    { messages: indexed.length === 0 && hasNewRole ? [userIndexUpdate(outbox, next.userId)] : indexed },
  );
  const shown = { account: next, member: permissions.member, richInfo: wanted.richInfo };
  return { ...effects, result: renderUser(deps, shown) };
}

/**
 * Keeps the address if the directory sends none, or the one that it already sees.
 * @throws ApiError `scim-forbidden` for an invitee, whose invitation proves the address that it was sent to
 */
async function addressChange(
  deps: Deps,
  stored: Account,
  next: Account & Required<Pick<Account, "scim">>,
  address: string | undefined,
): Promise<EmailChange> {
  const { email, emailUnvalidated, unprovenEmail, status, teamId = "" } = next;
  const shown = shownEmail({ ...next, scim: stored.scim }, deps.settings);
  if (address === undefined || isSameMailbox(shown, emailIdentity(address, deps.settings)))
    return { fields: { email, emailUnvalidated, unprovenEmail }, writes: [], messages: [] };
  if (status === "pending-invitation")
    throw new ApiError("scim-forbidden", { message: "emails: the user has been invited to another address" });
  const found = await findProvisionedEmail(deps, teamId, address);
  return validateProvisionedEmail(deps, { previous: stored, next }, found);
}

/** An invitee gets the role of the invitation. */
function permissionChange(deps: Deps, { member }: TeamUser, { role }: ScimUser) {
  if (member === undefined || role === undefined || roleOf(member.permissions) === role)
    return { member, writes: [], messages: [] };
  const permissions = permissionsOf(role);
  return {
    member: { permissions },
    writes: deps.teams.changePermissions(member, permissions),
    messages: announcePermissions(deps, { ...member, permissions }),
  };
}

const richInfoWrites = (deps: Deps, { account, richInfo }: TeamUser, wanted: ScimUser): Write[] =>
  isSameContent(richInfo?.fields ?? [], wanted.richInfo.fields)
    ? []
    : [deps.richInfo.put(account.userId, wanted.richInfo)];

const defined = (account: Account) =>
  Object.fromEntries(Object.entries(account).filter(([, value]) => value !== undefined));
