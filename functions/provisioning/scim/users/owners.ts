import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import { LastOwnerError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import type { ScimUser } from "./scim-user.ts";
import type { TeamUser } from "./team-user.ts";

const isOwner = (member: Member | undefined) => member !== undefined && hasOwnerRights(member);

/**
 * Whether a directory may manage owners and make new ones: its token must be that of somebody who is still an owner.
 * Otherwise whoever runs it could give an owner another address or identity, and log in as that owner. Tokens that do
 * not say who has created them were created by owners, too.
 */
export const mayManageOwners = async (
  { teams }: Pick<Deps, "teams">,
  { teamId, createdBy }: Provisioner,
): Promise<boolean> =>
  createdBy === undefined || isOwner(await teams.getMember({ teamId, userId: createdBy }));

/** @throws ApiError `scim-forbidden` when a directory that may not do so would change an owner, or make one */
export function protectOwners({ member, isByOwner }: TeamUser, wanted?: Pick<ScimUser, "role">): void {
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
