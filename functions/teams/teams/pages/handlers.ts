import { findTeamVisitor, onTeamForm, showTeamPage } from "#shared/accounts/team-pages/team-page.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import { isWithin, permissionsOf, type Role, role } from "#shared/teams/permissions.ts";
import type { Deps } from "../deps.ts";
import { listInvitations } from "../invitations/read-invitations.ts";
import { revokeInvitation } from "../invitations/revoke-invitation.ts";
import { sendInvitation } from "../invitations/send-invitation.ts";
import { changePermissions } from "../members/change-permissions.ts";
import { exportAnswer } from "../members/export/export-answer.ts";
import { listMembers } from "../members/list-members.ts";
import { removeMember } from "../members/remove-member.ts";
import { invitationsPage } from "./invitations-page.ts";
import { type ListedMember, memberPage, membersPage } from "./members-page.ts";
import type { routes } from "./routes.ts";

const pageSize = 50;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, teams } = deps;

  return {
    "get-team-members-page": (input) =>
      showTeamPage(deps, "members", input, async (frame, { teamId, userId: ownId }) => {
        const { after } = input.query;
        const page = { ...(after !== undefined && { after }), limit: pageSize };
        const { members, last, hasMore } = await listMembers(deps, { teamId, userId: ownId }, page);
        return membersPage(frame, {
          members: await withAccounts(members),
          ownId,
          after: hasMore ? last : undefined,
        });
      }),

    "get-team-member-page": async (input) => {
      const visitor = await findTeamVisitor(deps, "members", input);
      const { teamId = "", member: admin } = visitor ?? {};
      const found = admin && (await teams.getMember({ teamId, userId: input.query.user }));
      const [listed] = await withAccounts(found === undefined ? [] : [found]);
      if (admin === undefined || listed === undefined)
        return { status: 303, headers: { location: "/account/team/members" } };
      return showTeamPage(deps, "members", input, (frame) => ({
        title: listed.account.name,
        body: memberPage(frame, { ...listed, roles: rolesFor(admin, listed.member) }),
      }));
    },

    "post-team-member-role": (input) =>
      onTeamForm(deps, "members", input, async ({ teamId, userId: adminId }) => {
        const permissions = permissionsOf(input.body.role);
        await changePermissions(deps, { userId: adminId }, { teamId, userId: input.body.user, permissions });
        return "role-changed";
      }),

    "post-team-member-removal": (input) =>
      onTeamForm(deps, "members", input, async ({ teamId, userId: adminId }) => {
        const { user: userId, password } = input.body;
        const proof = password === undefined ? {} : { password };
        await removeMember(deps, { userId: adminId }, { teamId, userId, proof, noProof: "bad-request" });
        return "member-removed";
      }),

    "get-team-members-file": async (input) => {
      const visitor = await findTeamVisitor(deps, "members", input);
      if (visitor === undefined) return { status: 303, headers: { location: "/account/profile" } };
      return { status: 200, ...(await exportAnswer(deps, visitor, input.headers["Accept-Encoding"])) };
    },

    "get-team-invitations-page": (input) =>
      showTeamPage(deps, "invitations", input, async (frame, { teamId, userId, member }) => {
        const { after } = input.query;
        const page = { ...(after !== undefined && { after }), limit: pageSize };
        const { invitations, hasMore } = await listInvitations(deps, { teamId, userId }, page);
        return invitationsPage(frame, {
          invitations,
          roles: rolesOf(member),
          after: hasMore ? invitations.at(-1)?.invitation.invitationId : undefined,
        });
      }),

    "post-team-invitation": (input) =>
      onTeamForm(deps, "invitations", input, async ({ teamId, userId: inviterId }) => {
        const { email, role: invitedAs } = input.body;
        const command = { teamId, inviterId, email: email.trim(), role: invitedAs, allowsExisting: true };
        await sendInvitation(deps, command, input.sourceIp);
        return "invited";
      }),

    "post-team-invitation-withdrawal": (input) =>
      onTeamForm(deps, "invitations", input, async ({ teamId, userId }) => {
        await revokeInvitation(deps, userId, { teamId, invitationId: input.body.invitation });
        return "invitation-withdrawn";
      }),
  };

  /** Members with their accounts, in the same order; those who leave meanwhile are left out. */
  async function withAccounts(members: readonly Member[]): Promise<ListedMember[]> {
    const { accounts: found } = await accounts.getReadable(members.map(({ userId }) => userId));
    const accountOf = new Map(found.map((account) => [account.userId, account]));
    return members.flatMap((member) => {
      const account = accountOf.get(member.userId);
      return account?.teamId === member.teamId ? { member, account } : [];
    });
  }
}

/** The roles that an admin may give. */
const rolesOf = (admin: Member): Role[] =>
  role.options.filter((one) => isWithin(permissionsOf(one).self, admin.permissions.copy));

/** The roles that an admin may give to a member; none to oneself, or to an owner without being one. */
const rolesFor = (admin: Member, member: Member): Role[] =>
  admin.userId === member.userId || (hasOwnerRights(member) && !hasOwnerRights(admin)) ? [] : rolesOf(admin);
