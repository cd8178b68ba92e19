import { isDeepStrictEqual } from "node:util";
import type { Account } from "#shared/accounts/account.ts";
import { defaultLocale } from "#shared/accounts/account-types.ts";
import { emailIdentity, isSameMailbox } from "#shared/accounts/identity.ts";
import { indexUpdateMessages, userIndexUpdate } from "#shared/accounts/index-update.ts";
import { answerJoining } from "#shared/accounts/join-team.ts";
import { effectsOf, withStatus } from "#shared/accounts/status-change.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import { announceChanges } from "#shared/provisioning/announce-changes.ts";
import {
  type EmailChange,
  findProvisionedEmail,
  validateProvisionedEmail,
} from "#shared/provisioning/validate-email.ts";
import { announcePermissions } from "#shared/teams/announce-permissions.ts";
import { hasOwnerRights } from "#shared/teams/member.ts";
import { permissionsOf, roleOf } from "#shared/teams/permissions.ts";
import { LastOwnerError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { adoptedAccount, isAdopted, withFreeHandle } from "./adopt-user.ts";
import { answerTaken } from "./answer-taken.ts";
import { addressOf, defaultName, samlIdentityFor } from "./provisioned-names.ts";
import { renderUser, shownEmail } from "./render-user.ts";
import { requireOtherOwner } from "./require-other-owner.ts";
import type { UserView } from "./schemas.ts";
import { languageOf, type ScimUser } from "./scim-user.ts";
import { protectOwners, readTeamUser, type TeamUser } from "./team-user.ts";

/**
 * Replace a user by what the directory wants it to be. A member whom no directory manages yet is adopted. Writes
 * nothing when nothing changes.
 *
 * @param wanted gets the user as it is; called again when the user has changed meanwhile
 * @throws ApiError `scim-not-found`, `scim-invalid-value`, `scim-uniqueness`, `scim-forbidden` (an owner);
 *   what `wanted`, `validateProvisionedEmail` and `answerJoining` throw
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
    .catch(answer(LastOwnerError, "scim-forbidden", () => ({ message: "A team must have an owner" })));
}

/** The description of a user with which nothing would change. */
function toScimUser({ account, member, richInfo }: TeamUser): ScimUser {
  const { scim, handle = "", name, status, email, emailUnvalidated } = account;
  return {
    externalId: scim?.externalId ?? "",
    userName: handle,
    displayName: name,
    email: emailUnvalidated ?? email,
    active: status === "active",
    role: member && roleOf(member.permissions),
    preferredLanguage: languageOf(account),
    richInfo: richInfo ?? { version: 0, fields: [] },
  };
}

async function decide(
  deps: Deps,
  stored: Account,
  user: TeamUser,
  wanted: ScimUser,
): Promise<Change & { result: UserView }> {
  const { accounts, clock, identityProviders, outbox, settings } = deps;
  const { provider } = user;
  const address = addressOf(wanted, {
    hasProvider: provider !== undefined,
    isKnown: wanted.externalId === user.account.scim?.externalId,
    settings,
  });
  const profile = newProfile(deps, user, wanted, address);
  const { fields, ...email } = await addressChange(deps, stored, profile, address);
  const permissions = permissionChange(deps, user, wanted);
  const richInfo = richInfoWrites(deps, user, wanted);
  const isSame =
    isDeepStrictEqual(defined({ ...profile, ...fields }), defined(stored)) &&
    permissions.writes.length + richInfo.length === 0;
  if (isSame) return { writes: [], messages: [], result: renderUser(deps, user) };

  const next: Account = { ...profile, ...fields, scim: { ...profile.scim, updatedAt: clock() } };
  const sessions = next.status === stored.status ? { writes: [], messages: [] } : effectsOf(deps, next);
  const isSuspended = stored.status === "active" && next.status === "suspended";
  const otherOwner =
    isSuspended && user.member !== undefined && hasOwnerRights(user.member)
      ? await requireOtherOwner(deps, user.member)
      : [];
  const hasNewIdentity = provider !== undefined && next.samlIdentity !== stored.samlIdentity;
  const indexed = indexUpdateMessages(outbox, stored, next);
  return {
    writes: [
      ...accounts.save(stored, next),
      ...permissions.writes,
      ...richInfo,
      ...email.writes,
      ...sessions.writes,
      ...otherOwner,
      ...(hasNewIdentity ? [identityProviders.addReference(provider)] : []),
    ],
    messages: [
      ...announceChanges(deps, stored, next),
      ...permissions.messages,
      ...email.messages,
      ...sessions.messages,
      ...(indexed.length === 0 && permissions.writes.length > 0
        ? [userIndexUpdate(outbox, next.userId)]
        : indexed),
    ],
    result: renderUser(deps, { account: next, member: permissions.member, richInfo: wanted.richInfo }),
  };
}

/** Everything about the account except its address. */
function newProfile(
  { settings }: Deps,
  { account, provider }: TeamUser,
  wanted: ScimUser,
  address: string | undefined,
): Account & Required<Pick<Account, "scim">> {
  const { externalId, userName, displayName, preferredLanguage } = wanted;
  const present = languageOf(account);
  const { scim = { createdAt: 0, updatedAt: 0 } } = account;
  return {
    ...withWantedStatus(account, wanted),
    handle: userName,
    name:
      displayName ??
      defaultName(externalId, {
        hasProvider: provider !== undefined,
        address: address ?? shownEmail(account, settings),
      }),
    locale: preferredLanguage === present ? account.locale : (preferredLanguage ?? defaultLocale(settings)),
    samlIdentity: samlIdentityFor(externalId, provider, settings, account.samlIdentity),
    scim: { ...scim, externalId },
  };
}

/** Only what the directory changes counts: members who are suspended with their team stay as they are. */
function withWantedStatus(account: Account, { active }: ScimUser): Account {
  const { status, isSuspendedWithTeam } = account;
  if (status === "active" && !active) return withStatus(account, "suspended");
  const isOwnSuspension = status === "suspended" && isSuspendedWithTeam === undefined;
  return isOwnSuspension && active ? withStatus(account, "active") : account;
}

/**
 * Without an address, or with the one that the directory sees, keeps the address. @throws ApiError `scim-forbidden` for
 * an invitee, whose invitation proves the address that it was sent to
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
  isDeepStrictEqual(richInfo?.fields ?? [], wanted.richInfo.fields)
    ? []
    : [deps.richInfo.put(account.userId, wanted.richInfo)];

const defined = (account: Account) =>
  Object.fromEntries(Object.entries(account).filter(([, value]) => value !== undefined));
