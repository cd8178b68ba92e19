import { emailIdentity } from "#shared/accounts/identity.ts";
import { answerJoining } from "#shared/accounts/join-team.ts";
import { answer } from "#shared/platform/http/answer.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { createAccount, provisionedAccount } from "#shared/provisioning/create-account.ts";
import { AlreadyInvitedError, inviteAccount } from "#shared/provisioning/invite-account.ts";
import { findProvisionedEmail, validateProvisionedEmail } from "#shared/provisioning/validate-email.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { TooManyInvitationsError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { withFreeHandle } from "./adopt-user.ts";
import { addressOf, nameOf, samlIdentityFor } from "./profile.ts";
import { renderUser } from "./render-user.ts";
import type { UserView } from "./routes.ts";
import type { ScimUser } from "./scim-user.ts";
import { mayManageOwners, ownerRefusal, requireProvider } from "./team-user.ts";
import { answerTaken, checkUnknown, checkUnused } from "./uniqueness.ts";
import { chooseHandle, isHandle } from "./user-name.ts";

/**
 * Create a user of a team, who is a member immediately. The user logs in through the identity provider; without one,
 * once the address is confirmed or, depending on the settings, an invitation is accepted. The team's other invitations
 * to the address are removed, because only one account can have it.
 *
 * @throws ApiError `scim-invalid-value`, `scim-uniqueness`, `scim-forbidden` (an owner); what `inviteUser`, `validateProvisionedEmail`
 *   and `answerJoining` throw
 * @see operations `scim-create-user`, `scim-create-user-with-id`
 */
export async function createUser(deps: Deps, provisioner: Provisioner, user: ScimUser): Promise<UserView> {
  const { identityProviders, settings } = deps;
  const { teamId, idpId } = provisioner;
  if (user.role === "owner" && !(await mayManageOwners(deps, provisioner))) throw ownerRefusal();
  if (idpId === undefined && settings.scim.invitesUsers) return inviteUser(deps, provisioner, user);
  const address = addressOf(user, { hasProvider: idpId !== undefined, settings });
  const create = () =>
    change(deps, async () => {
      const [provider, email, handle, invited] = await Promise.all([
        idpId === undefined ? undefined : identityProviders.get(idpId).then(requireProvider),
        address === undefined ? undefined : findProvisionedEmail(deps, teamId, address),
        chooseHandle(deps, user.userName),
        address === undefined ? [] : withdrawInvitations(deps, teamId, address),
        checkUnused(deps, teamId, user),
      ]);
      if (provider !== undefined) await checkUnknown(deps, teamId, user, provider);
      const now = deps.clock();
      const person = provisionedAccount(deps, {
        teamId,
        name: nameOf(user, { hasProvider: provider !== undefined, address }),
        handle,
        status: user.active ? "active" : "suspended",
        managedByScim: true,
        samlIdentity: samlIdentityFor(user.externalId, provider, settings),
        scim: {
          externalId: user.externalId,
          userName: isHandle(user.userName) ? undefined : user.userName,
          createdAt: now,
          updatedAt: now,
        },
        ...(user.preferredLanguage !== undefined && { locale: user.preferredLanguage }),
      });
      const validated = email && (await validateProvisionedEmail(deps, { next: person }, email));
      const account = { ...person, ...validated?.fields };
      const role = user.role ?? "member";
      const { richInfo } = user;
      const effects = combine(
        createAccount(deps, account, { role, richInfo }),
        validated,
        { writes: invited },
        provider && { writes: [identityProviders.addReference(provider)] },
      );
      const member = { permissions: permissionsOf(role) };
      return { ...effects, result: renderUser(deps, { account, member, richInfo }) };
    });
  return (isHandle(user.userName) ? create() : withFreeHandle(create, 5))
    .catch(answerTaken)
    .catch(answerJoining);
}

async function withdrawInvitations({ invitations, settings }: Deps, teamId: string, address: string) {
  const invited = { teamId, addressKey: emailIdentity(address, settings).key };
  return invitations.withdraw(invited, await invitations.readState(invited));
}

/**
 * Create a user of a team without an identity provider, who becomes a member by accepting an invitation.
 *
 * @throws ApiError `scim-invalid-value`, `scim-uniqueness`, `too-many-team-invitations`, those of `inviteAccount`
 * @throws RateLimitedError
 * @see operation `scim-create-user`
 */
async function inviteUser(deps: Deps, { teamId }: Provisioner, user: ScimUser): Promise<UserView> {
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
