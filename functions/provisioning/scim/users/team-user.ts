import { type Account, currentStatus } from "#shared/accounts/account.ts";
import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import type { Role } from "#shared/teams/permissions.ts";
import { LastOwnerError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";

/** A user of a team as stored. */
export interface TeamUser {
  readonly account: Account;
  /** Absent: the user is invited. */
  readonly member: Member | undefined;
  readonly richInfo: RichInfo | undefined;
  /** Identity provider of the asking directory. */
  readonly provider: IdentityProvider | undefined;
  /** Whether the asking directory may manage owners; see `mayManageOwners`. */
  readonly isByOwner: boolean;
}

const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Read a user of a directory's team, in one round trip; undefined for anybody else. Reading an invitee whose invitation
 * has expired has the account deleted.
 *
 * @throws ApiError `unauthenticated` when the identity provider of the token is gone
 */
export async function readTeamUser(
  { accounts, clock, expiredAccounts, identityProviders, richInfo, teams }: Deps,
  provisioner: Provisioner,
  id: string,
): Promise<TeamUser | undefined> {
  const { teamId, idpId, createdBy } = provisioner;
  const userId = id.toLowerCase();
  if (!uuidPattern.test(userId)) return undefined;
  const [account, info, member, creator, provider] = await Promise.all([
    accounts.get(userId),
    richInfo.get(userId),
    teams.getMember({ teamId, userId }),
    createdBy === undefined ? undefined : teams.getMember({ teamId, userId: createdBy }),
    idpId === undefined ? undefined : identityProviders.get(idpId),
  ]);
  if (account?.teamId !== teamId) return undefined;
  if (currentStatus(account, clock()) === "deleted") {
    await expiredAccounts.report([account]);
    return undefined;
  }
  return {
    account,
    member,
    richInfo: info,
    provider: idpId === undefined ? undefined : requireProvider(provider),
    isByOwner: createdBy === undefined || isOwner(creator),
  };
}

/** The tokens of an identity provider are removed with it. @throws ApiError `unauthenticated` */
export function requireProvider(provider: IdentityProvider | undefined): IdentityProvider {
  if (provider === undefined) throw new ApiError("unauthenticated");
  return provider;
}

const isOwner = (member: Member | undefined) => member !== undefined && hasOwnerRights(member);

/**
 * Whether a directory may manage owners and make new ones: the creator of its token must still be an owner. Otherwise,
 * its administrator could change an owner's address or identity, and log in as that owner. Tokens without a recorded
 * creator were created by owners, too.
 */
export const mayManageOwners = async (
  { teams }: Pick<Deps, "teams">,
  { teamId, createdBy }: Provisioner,
): Promise<boolean> =>
  createdBy === undefined || isOwner(await teams.getMember({ teamId, userId: createdBy }));

/** @throws ApiError `scim-forbidden` when a directory would change or create an owner without being allowed to */
export function protectOwners({ member, isByOwner }: TeamUser, wanted?: { readonly role?: Role }): void {
  const isAboutOwner = isOwner(member) || wanted?.role === "owner";
  if (isAboutOwner && !isByOwner) throw ownerRefusal();
}

/** Creates the refusal of a directory that may not manage owners. */
export const ownerRefusal = () =>
  new ApiError("scim-forbidden", { message: "The owner who created the token no longer is one" });

/**
 * Find another owner who can log in, and create the conditions that this remains true.
 * @throws LastOwnerError when there is none
 */
export async function requireOtherOwner(
  { accounts, teams }: Pick<Deps, "accounts" | "teams">,
  { teamId, userId }: Pick<Member, "teamId" | "userId">,
): Promise<Write[]> {
  const adminIds: string[] = [];
  for await (const id of teams.admins(teamId)) if (id !== userId) adminIds.push(id);
  const [members, people] = await Promise.all([
    teams.getMembers(teamId, adminIds),
    accounts.getMany(adminIds),
  ]);
  const activeIds = new Set(people.filter(({ status }) => status === "active").map((one) => one.userId));
  const other = members.find((member) => hasOwnerRights(member) && activeIds.has(member.userId));
  if (other === undefined) throw new LastOwnerError(teamId);
  // Unlike elsewhere, an account that is no longer active is no error: another owner may be found.
  const { item } = accounts.requireActive(other.userId);
  return [{ item }, teams.requirePermissions(other)];
}

/** Turns the lack of another owner into an error of SCIM. */
export const answerLastOwner = answer(LastOwnerError, "scim-forbidden", () => ({
  message: "A team must have an owner",
}));
