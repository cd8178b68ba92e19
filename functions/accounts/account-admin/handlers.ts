import * as z from "zod";
import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { blockedIdentity, emailIdentity, type Identity } from "#shared/accounts/identity.ts";
import { normalizeRichInfo, type RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { externalIdClaim, samlClaim, samlClaimsInTeam } from "#shared/accounts/provisioned-identity.ts";
import { statusChange } from "#shared/accounts/status-change.ts";
import { addressMark, describeAudited } from "#shared/platform/audit/audited.ts";
import type { NewestPage } from "#shared/platform/data/newest-first.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import { change, commit } from "#shared/platform/messaging/change.ts";
import { LastOwnerError } from "#shared/teams/team-errors.ts";
import type { Deps } from "./deps.ts";
import { logOutUser } from "./log-out-user.ts";
import { createHandlers as createProvisionedHandlers } from "./provisioned/handlers.ts";
import { readActivity, readStatus, readTeamId } from "./read-account.ts";
import type { routes } from "./routes.ts";
import {
  blockedCursor,
  type blockedPage,
  type listedUser,
  suppressionList,
  type suppressionPage,
  userList,
  type userPage,
} from "./schemas.ts";
import { createHandlers as createSearchIndexHandlers } from "./search-index/handlers.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, clock, settings, suppressions } = deps;
  return {
    ...createProvisionedHandlers(deps),
    ...createSearchIndexHandlers(deps),

    "i-get-user-status": async ({ params }) => ({ body: { status: await readStatus(deps, params.uid) } }),

    "i-put-user-status": async ({ params, body }) => {
      await changeStatus(deps, params.uid, body.status);
      return {};
    },

    "i-log-out-user": async ({ params }) => {
      await logOutUser(deps, params.uid);
      return {};
    },

    "i-get-user-activity": async ({ params }) => ({ body: await readActivity(deps, params.uid) }),

    "i-delete-user": async ({ params }) => ({ status: (await deleteUser(deps, params.uid)) ? 202 : 200 }),

    "i-get-user-team": async ({ params }) => ({ body: await readTeamId(deps, params.uid) }),

    "i-put-rich-info": async ({ params, body }) => {
      await replaceRichInfo(deps, params.uid, body.rich_info);
      return {};
    },

    "i-get-blacklist": async ({ query }) => {
      await checkBlocked(deps, query);
      return {};
    },

    "i-post-blacklist": async ({ query }) => {
      const identity = blockedIdentity(query, settings);
      describeAudited({ target: { address: blockMark(identity) } });
      await change(deps, async () => ({ writes: accounts.block(identity) }));
      return {};
    },

    "i-delete-blacklist": async ({ query }) => {
      const identity = blockedIdentity(query, settings);
      describeAudited({ target: { address: blockMark(identity) } });
      await change(deps, async () => ({ writes: accounts.unblock(identity) }));
      return {};
    },

    "i-list-users": async ({ query: { size: limit, start: after, from, to } }) => ({
      body: await listUsers(deps, { limit, after, from, to }),
    }),

    "i-find-provisioned-users": async ({ query }) => {
      const { issuer, name_id: nameId, external_id: externalId, team: teamId } = query;
      const found = await findByIdentity(deps, { issuer, nameId, externalId, teamId });
      return { body: found.map((account) => toSelfProfile(account, settings, clock())) };
    },

    "i-list-blocked-addresses": async ({ query }) => ({
      body: await listBlocked(deps, { limit: query.size, after: query.start?.after }),
    }),

    "i-list-mail-suppressions": async ({ query: { size: limit, start: after, from, to } }) => ({
      body: await listSuppressed(deps, { limit, after, from, to }),
    }),

    "i-get-mail-suppression": async ({ query }) => {
      const suppression = await suppressions.get(emailIdentity(query.email, settings).value);
      if (suppression === undefined) throw new ApiError("not-found");
      const { address, reason, expiresAtSeconds } = suppression;
      return { body: { email: address, reason, expires_at: toUtcSecond(expiresAtSeconds * 1000) } };
    },

    "i-delete-mail-suppression": async ({ query }) => {
      const { value } = emailIdentity(query.email, settings);
      describeAudited({ target: { address: addressMark(value) } });
      await suppressions.lift(value);
      return {};
    },
  };
}

/**
 * Suspend or resume an account. It then keeps that status, whatever happens to its team, until it is resumed or
 * suspended again.
 *
 * @throws ApiError `invalid-status`, `not-found`
 * @see operation `i-put-user-status`
 */
async function changeStatus(deps: Deps, userId: string, status: string): Promise<void> {
  if (status !== "active" && status !== "suspended") throw new ApiError("invalid-status");
  describeAudited({ target: { status } });
  await change(deps, async () => {
    const account = await deps.accounts.get(userId);
    if (account === undefined) throw new ApiError("not-found");
    if (account.status === status && account.isSuspendedWithTeam === undefined) return undefined;
    if (account.status !== "active" && account.status !== "suspended") throw new ApiError("invalid-status");
    return statusChange(deps, account, status);
  });
}

/** A domain is nobody's personal data. */
const blockMark = ({ key }: Identity): string => (key.startsWith("@") ? key : addressMark(key));

/**
 * Check that an email address or phone number is on the block-list.
 *
 * @throws ApiError `not-found`, `invalid-email`, `invalid-phone`
 * @see operation `i-get-blacklist`
 */
async function checkBlocked(
  { accounts, settings }: Deps,
  address: { email?: string; phone?: string },
): Promise<void> {
  if (!(await accounts.isBlocked(blockedIdentity(address, settings)))) throw new ApiError("not-found");
}

/**
 * Delete an account.
 *
 * @returns whether it existed until now
 * @throws ApiError `not-found`, `no-self-delete-for-team-owner`
 * @see operation `i-delete-user`
 */
async function deleteUser(deps: Deps, userId: string): Promise<boolean> {
  const isDeleted = await deleteAccount(deps, userId).catch(
    answer(LastOwnerError, "no-self-delete-for-team-owner"),
  );
  if (isDeleted === undefined) throw new ApiError("not-found");
  return isDeleted;
}

/** A name of a user at an identity provider, or in the directory of a team. */
interface ProvisionedName {
  readonly issuer?: string | undefined;
  readonly nameId?: string | undefined;
  readonly externalId?: string | undefined;
  readonly teamId?: string | undefined;
}

/**
 * Find the accounts with an identity at an identity provider or in a directory, in any state. With a team, only
 * accounts of that team are found, by an identity of the team or of the installation.
 *
 * @returns one at most
 * @see operation `i-find-provisioned-users`
 */
async function findByIdentity({ accounts }: Deps, name: ProvisionedName): Promise<Account[]> {
  const { teamId } = name;
  const claims = await accounts.findClaims(identitiesOf(name));
  const owners = claims.filter((claim) => claim !== undefined);
  const wanted = teamId === undefined ? owners : owners.filter((claim) => claim.teamId === teamId);
  return accounts.getMany(wanted.map(({ userId }) => userId));
}

function identitiesOf({ issuer = "", nameId: text = "", externalId, teamId }: ProvisionedName): Identity[] {
  const atProvider = { issuer, nameId: { text } };
  if (teamId === undefined) return [samlClaim(atProvider)];
  return externalId === undefined
    ? samlClaimsInTeam(teamId, atProvider)
    : [externalIdClaim(teamId, externalId)];
}

/** List one page of the block-list. @see operation `i-list-blocked-addresses` */
async function listBlocked(
  { accounts }: Deps,
  page: { limit: number; after: string | undefined },
): Promise<z.input<typeof blockedPage>> {
  const { blocked, last } = await accounts.pageOfBlocks(page);
  return {
    blocked: blocked.map(({ kind, key }) =>
      key.startsWith("@") ? { kind: "domain", address: key.slice(1) } : { kind, address: key },
    ),
    ...(last !== undefined && { next: z.encode(blockedCursor, { after: last }) }),
  };
}

/** List one page of the addresses that get no mail. @see operation `i-list-mail-suppressions` */
async function listSuppressed(
  { suppressions }: Deps,
  page: NewestPage,
): Promise<z.input<typeof suppressionPage>> {
  const { suppressions: listed, last } = await suppressions.pageOfNewest(page);
  return {
    suppressions: listed.map(({ address, reason, reportedAt, expiresAtSeconds }) => ({
      email: address,
      reason,
      reported_at: reportedAt,
      expires_at: toUtcSecond(expiresAtSeconds * 1000),
    })),
    ...(last !== undefined && { next: z.encode(suppressionList.cursor, last) }),
  };
}

/**
 * List one page of the users, the newest first. Expired accounts are reported for deletion, because nobody else may
 * ever read them.
 * @see operation `i-list-users`
 */
async function listUsers(
  { accounts, clock, expiredAccounts }: Deps,
  page: NewestPage,
): Promise<z.input<typeof userPage>> {
  const { accounts: listed, last } = await accounts.pageOfNewest(page);
  await expiredAccounts.report(listed);
  const now = clock();
  return {
    users: listed.map((account) => toListedUser(account, now)),
    ...(last !== undefined && { next: z.encode(userList.cursor, last) }),
  };
}

const toListedUser = (account: Account, now: number): z.input<typeof listedUser> => ({
  id: account.userId,
  name: account.name,
  status: currentStatus(account, now),
  created_at: new Date(account.createdAt).toISOString(),
  handle: account.handle,
  email: account.email,
  email_unvalidated: account.emailUnvalidated,
  phone: account.phone,
  team: account.teamId,
});

/**
 * Replace the rich info of a user.
 *
 * @throws ApiError `not-found`, `rich-info-too-large`
 * @see operation `i-put-rich-info`
 */
async function replaceRichInfo(deps: Deps, userId: string, richInfo: RichInfo): Promise<void> {
  const { accounts, dynamo, settings } = deps;
  const normalized = normalizeRichInfo(richInfo, settings);
  // The account tells the audit trail the user's team.
  if ((await accounts.get(userId)) === undefined) throw new ApiError("not-found");
  const writes = [accounts.requireNotDeleted(userId), deps.richInfo.put(userId, normalized)];
  await commit(dynamo, { writes }).catch(answer(AccountNotFoundError, "not-found"));
}
