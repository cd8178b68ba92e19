import type * as z from "zod";
import type { Account } from "#shared/accounts/account.ts";
import { announceUpdate } from "#shared/accounts/announce-update.ts";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { type ContactIdentity, emailIdentity, phoneIdentity } from "#shared/accounts/identity.ts";
import { type selfProfile, toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { changeAccount, ownAccount } from "#shared/accounts/self/change-account.ts";
import { changePassword } from "#shared/accounts/self/change-password.ts";
import {
  changeHandle,
  changeLocale,
  changeProfile,
  hasFixedHandle,
} from "#shared/accounts/self/change-profile.ts";
import { deleteSelf } from "#shared/accounts/self/delete-self.ts";
import { chargeSms, checkNumber } from "#shared/accounts/sms-allowance.ts";
import { codeRequests } from "#shared/codes/code.ts";
import { pagesFor } from "#shared/platform/html/pages-for.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { chargeNetwork } from "#shared/platform/rate-limit/network-limit.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import { changeAddress } from "./change-address.ts";
import type { Deps } from "./deps.ts";
import { deletedPage, deletionPage, translations } from "./pages/deletion-pages.ts";
import { removeIdentity } from "./remove-identity.ts";
import type { routes } from "./routes.ts";
import { userOfBothTokens } from "./user-of-both-tokens.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, settings } = deps;
  const { productName } = settings;
  const pages = pagesFor(translations, settings);

  return {
    "get-self": async ({ actor }) => ({
      body: await getSelf(deps, actor.userId),
    }),

    "delete-self": async ({ actor, body, sourceIp }) => {
      const expiresIn = await deleteSelf(deps, actor, { password: body.password, sourceIp });
      return expiresIn === undefined ? { status: 200 } : { status: 202, body: { expires_in: expiresIn } };
    },

    "verify-delete": async ({ body }) => {
      await confirmDeletion(deps, body);
      return {};
    },

    "get-delete-page": async ({ query, headers }) => {
      const { texts, page } = pages(headers);
      return page(texts.ask.title, deletionPage(texts, { productName, ...query }));
    },

    "post-delete-confirmation": async ({ body, headers }) => {
      await confirmDeletion(deps, body);
      const { texts, page } = pages(headers);
      return page(texts.done.title, deletedPage(texts, productName));
    },

    "put-self": async ({ actor, body: { name, text_status, picture, accent_id, assets } }) => {
      const textStatus = text_status ?? undefined;
      await changeProfile(deps, actor, { name, textStatus, picture, accentId: accent_id, assets });
      return {};
    },

    "change-locale": async ({ actor, body }) => {
      await changeLocale(deps, actor, body.locale);
      return {};
    },

    "change-handle": async ({ actor, body }) => {
      await changeHandle(deps, actor, body.handle);
      return {};
    },

    "change-supported-protocols": async ({ actor, body }) => {
      await changeSupportedProtocols(deps, actor, body.supported_protocols);
      return {};
    },

    "check-password-exists": async ({ actor }) => {
      const account = await accounts.get(actor.userId);
      const hasPassword = account?.passwordHash !== undefined && account.status !== "deleted";
      return { status: hasPassword ? 200 : 404 };
    },

    "change-password": async ({ actor, body: { old_password, new_password } }) => {
      await changePassword(deps, actor.userId, { oldPassword: old_password, newPassword: new_password });
      return {};
    },

    "change-self-email": async ({ body, cookies, bearer, sourceIp }) => {
      const userId = await userOfBothTokens(deps, { cookies, bearer });
      const identity = emailIdentity(body.email, settings);
      await chargeNetwork(deps, codeRequests, sourceIp);
      return toEmailReply(await changeAddress(deps, { userId, identity, network: networkOf(sourceIp) }));
    },

    "update-user-email": async ({ actor, params, body }) => {
      const identity = emailIdentity(body.email, settings);
      await changeMemberEmail(deps, actor.userId, { userId: params.uid, identity });
      return { body: [] };
    },

    "remove-email": async ({ actor, body }) => {
      await removeIdentity(deps, actor, { kind: "email", secondFactor: body?.verification_code });
      return {};
    },

    "change-phone": async ({ actor, body, sourceIp }) => {
      const identity = phoneIdentity(body.phone);
      await checkNumber(identity);
      await chargeSms(deps, identity, { sourceIp });
      await changeAddress(deps, { userId: actor.userId, identity, network: networkOf(sourceIp) });
      return {};
    },

    "remove-phone": async ({ actor, body }) => {
      await removeIdentity(deps, actor, { kind: "phone", secondFactor: body?.verification_code });
      return {};
    },

    "i-change-self-email": async ({ body, headers, query }) => {
      const userId = headers["Z-User"];
      const identity = emailIdentity(body.email, settings);
      const isConfirmed =
        query.email_activation === undefined ? query.activate : query.email_activation === "auto_activate";
      const isChanged = await changeAddress(deps, { userId, identity, isConfirmed, isProvisioning: true });
      return toEmailReply(isChanged && !isConfirmed);
    },
  };
}

function toEmailReply(awaitsCode: boolean): { status: 202; body: never[] } | { status: 204 } {
  return awaitsCode ? { status: 202, body: [] } : { status: 204 };
}

/**
 * Give a member of the acting user's team another email address. As with a change by the member, it must be confirmed;
 * nothing changes when the member already has it.
 *
 * @throws ApiError `insufficient-permissions` unless the acting user is an admin or owner, and for an owner's address
 *   unless it is an owner; `not-found` for a user who is not in the same team; and those of `changeAddress`
 * @see operation `update-user-email`
 */
async function changeMemberEmail(
  deps: Deps,
  actorId: string,
  { userId, identity }: { userId: string; identity: ContactIdentity },
): Promise<void> {
  const checked = await adminAndMember(deps, actorId, userId);
  const conditions = async (attempt: number) => {
    const members = attempt === 1 ? checked : await adminAndMember(deps, actorId, userId);
    return members.map((member) => deps.teams.requirePermissions(member));
  };
  await changeAddress(deps, { userId, identity, conditions });
}

/**
 * Requires the acting user to be an admin, and the other one, if different, to be in the same team. Whoever receives a
 * user's mails can reset the password, so an admin who could change an owner's address could become an owner.
 */
async function adminAndMember({ accounts, teams }: Deps, actorId: string, userId: string): Promise<Member[]> {
  const read = await accounts.getMany([...new Set([actorId, userId])]);
  const [acting, other] = [actorId, userId].map((id) => read.find((account) => account.userId === id));
  const teamId = acting?.teamId;
  const members = teamId === undefined ? [] : await teams.getMembers(teamId, [actorId, userId]);
  const memberOf = (id: string) => members.find((member) => member.userId === id);
  const admin = checkMember(memberOf(actorId), { role: "admin" }, insufficientPermissions);
  if (other?.teamId !== teamId) throw new ApiError("not-found");
  const member = memberOf(userId);
  if (member !== undefined && hasOwnerRights(member) && !hasOwnerRights(admin))
    throw new ApiError("insufficient-permissions");
  return members;
}

type Protocols = Account["supportedProtocols"];

/**
 * Set the protocols that all devices of the user support.
 * @throws ApiError `mls-protocol-downgrade` when MLS is removed, which would break the groups that the user has joined
 * @see operation `change-supported-protocols`
 */
async function changeSupportedProtocols(deps: Deps, actor: Actor, wanted: Protocols): Promise<void> {
  await changeAccount(deps, actor.userId, (account) => {
    const isAdded = (protocol: Protocols[number]) => !account.supportedProtocols.includes(protocol);
    const isDropped = (protocol: Protocols[number]) => !wanted.includes(protocol);
    const dropped = account.supportedProtocols.filter(isDropped);
    if (dropped.includes("mls")) throw new ApiError("mls-protocol-downgrade");
    if (dropped.length === 0 && !wanted.some(isAdded)) return undefined;
    const supportedProtocols = [...new Set(wanted)];
    return {
      next: { ...account, supportedProtocols },
      messages: announceUpdate(deps, account, actor, { supported_protocols: supportedProtocols }),
    };
  });
}

/**
 * Delete the account that a deletion code was sent to.
 *
 * @throws ApiError `deletion-code-rejected` for a wrong, used, expired or exhausted code;
 *   `no-self-delete-for-team-owner` when the user has become the owner of a team since it was sent
 * @see operation `verify-delete`
 */
async function confirmDeletion(
  deps: Deps,
  { key, code: candidate }: { key: string; code: string },
): Promise<void> {
  const { codes, verificationCodes } = deps;
  const code = await codes.takeAttempt("deletion", key);
  const isCorrect =
    code !== undefined && (await verificationCodes.matches({ ...code, codeKey: key }, candidate));
  if (!isCorrect || code.userId === undefined) throw new ApiError("deletion-code-rejected");
  const onRejected = () => new ApiError("deletion-code-rejected");
  await deleteAccount(deps, code.userId, {
    conditions: () => [{ ...codes.consume(code), onRejected }],
    isOwnDecision: true,
  });
}

/**
 * Get the caller's own profile. Clients read from `managed_by` whether name and handle can be changed.
 *
 * @throws ApiError `not-found`
 * @see operation `get-self`
 */
async function getSelf(deps: Deps, userId: string): Promise<z.input<typeof selfProfile>> {
  const { clock, settings } = deps;
  const account = await ownAccount(deps, userId);
  const profile = toSelfProfile(account, settings, clock());
  return (await hasFixedHandle(deps, account)) ? { ...profile, managed_by: "scim" } : profile;
}
