import { emailIdentity } from "#shared/accounts/identity.ts";
import { answer } from "#shared/platform/http/answer.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { AlreadyInvitedError, inviteAccount } from "#shared/provisioning/invite-account.ts";
import { TooManyInvitationsError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { withFreeHandle } from "./adopt-user.ts";
import { addressOf, nameOf } from "./profile.ts";
import { renderUser } from "./render-user.ts";
import type { UserView } from "./routes.ts";
import type { ScimUser } from "./scim-user.ts";
import { answerTaken, checkUnused } from "./uniqueness.ts";
import { chooseHandle, isHandle } from "./user-name.ts";

/**
 * Create a user of a team without an identity provider, who becomes a member by accepting an invitation.
 *
 * @throws ApiError `scim-invalid-value`, `scim-uniqueness`, `too-many-team-invitations`, those of `inviteAccount`
 * @throws RateLimitedError
 * @see operation `scim-create-user`
 */
export async function inviteUser(deps: Deps, { teamId }: Provisioner, user: ScimUser): Promise<UserView> {
  const { settings } = deps;
  const { externalId, userName, displayName, preferredLanguage: locale, richInfo } = user;
  const address = addressOf(user, { hasProvider: false, settings });
  if (address === undefined) throw new Error("Without an identity provider, the user must have an address");
  const identity = emailIdentity(address, settings);
  const name = nameOf(user, { hasProvider: false, address: identity.value });
  const nameInTeam = isHandle(userName) ? {} : { userName };
  const invite = () =>
    change<UserView>(deps, async () => {
      const handle = await chooseHandle(deps, userName);
      const [{ account, ...invited }] = await Promise.all([
        inviteAccount(deps, {
          person: {
            teamId,
            name,
            handle,
            externalId,
            ...nameInTeam,
            ...(locale !== undefined && { locale }),
          },
          address: identity,
          invitedAs: displayName,
          role: user.role ?? "member",
          richInfo,
        }),
        checkUnused(deps, teamId, user),
      ]);
      return { ...invited, result: renderUser(deps, { account, member: undefined, richInfo }) };
    });
  return (isHandle(userName) ? invite() : withFreeHandle(invite, 5))
    .catch(answerTaken)
    .catch(answer(AlreadyInvitedError, "scim-uniqueness", () => ({ message: "emails: another user has it" })))
    .catch(answer(TooManyInvitationsError, "too-many-team-invitations"));
}
