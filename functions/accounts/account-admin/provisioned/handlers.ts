import type * as z from "zod";
import type { Account } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { defaultLocale } from "#shared/accounts/account-types.ts";
import { announceChanges } from "#shared/accounts/announce-update.ts";
import { handlePattern, parseHandle } from "#shared/accounts/handle.ts";
import { handleIdentity } from "#shared/accounts/identity.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { answerJoining } from "#shared/accounts/join-team.ts";
import { normalizeRichInfo, type RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { parseSamlIdentity } from "#shared/accounts/profiles/sso-id.ts";
import { isSameContent } from "#shared/platform/data/unknown-fields.ts";
import { splitToFit } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createAccount, type NewPerson, provisionedAccount } from "#shared/provisioning/create-account.ts";
import { richInfoView } from "#shared/provisioning/scim-rich-info.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Role } from "#shared/teams/permissions.ts";
import type { Deps } from "../deps.ts";
import type { routes, ssoIdUpdate } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { clock, settings } = deps;

  const isManaged = (managedBy: string): boolean => {
    if (managedBy !== "scim" && managedBy !== settings.vendor)
      throw new ApiError("bad-request", { message: `managed_by must be scim or ${settings.vendor}` });
    return managedBy === "scim";
  };

  /** The part of an account that comes from an identity provider or a directory, which has known it since `createdAt`. */
  const identityOf = (ssoId: z.output<typeof ssoIdUpdate>, createdAt = clock()) => {
    if ("scim_external_id" in ssoId) {
      const scim = { externalId: ssoId.scim_external_id, createdAt, updatedAt: clock() };
      return { samlIdentity: undefined, scim };
    }
    const samlIdentity = parseSamlIdentity(ssoId.tenant, ssoId.subject);
    if (samlIdentity === undefined)
      throw new ApiError("bad-request", { message: "tenant and subject must be SAML elements" });
    return { samlIdentity };
  };

  return {
    "i-create-sso-user": async ({ body }) => {
      const { user_id: userId, sso_id, name, team: teamId, handle, rich_info: richInfo, locale, role } = body;
      const managedByScim = isManaged(body.managed_by);
      const { samlIdentity, scim } = identityOf(sso_id);
      const person = { name, teamId, managedByScim, handle, locale, samlIdentity, scim };
      const account = await createProvisionedAccount(deps, { userId, person, role, richInfo });
      return { headers: { location: userId }, body: toSelfProfile(account, settings, clock()) };
    },

    "i-put-sso-id": async ({ params, body }) => {
      await changeAccount(deps, params.uid, ({ scim }) =>
        "scim_external_id" in body && scim?.externalId === body.scim_external_id
          ? { samlIdentity: undefined }
          : identityOf(body, scim?.createdAt),
      );
      return {};
    },

    "i-delete-sso-id": async ({ params }) => {
      await changeAccount(deps, params.uid, () => ({ samlIdentity: undefined, scim: undefined }));
      return {};
    },

    "i-put-managed-by": async ({ params, body }) => {
      const managedByScim = isManaged(body.managed_by);
      await changeAccount(deps, params.uid, () => ({ managedByScim }));
      return {};
    },

    "i-put-name": async ({ params, body: { name } }) => {
      await changeAccount(deps, params.uid, () => ({ name }));
      return {};
    },

    "i-put-handle": async ({ params, body }) => {
      const { value: handle } = parseHandle(body.handle, settings);
      await changeAccount(deps, params.uid, () => ({ handle }));
      return {};
    },

    "i-put-locale": async ({ params, body: { locale } }) => {
      await changeAccount(deps, params.uid, () => ({ locale }));
      return {};
    },

    "i-delete-locale": async ({ params }) => {
      await changeAccount(deps, params.uid, () => ({ locale: defaultLocale(settings) }));
      return {};
    },

    "i-get-default-locale": () => ({ body: { locale: defaultLocale(settings) } }),

    "i-check-handle": async ({ params }) => {
      await checkHandle(deps, params.handle);
      return {};
    },

    "i-get-rich-info": async ({ params }) => ({
      body: richInfoView(await readRichInfo(deps, params.uid), settings),
    }),

    "i-get-rich-infos": async ({ query }) => {
      const found = [...(await findRichInfo(deps, query.ids))];
      const pairs = found.map(([userId, info]): [string, Record<string, unknown>] => [
        userId,
        richInfoView(info, settings),
      ]);
      return { body: splitToFit(pairs).fitting };
    },

    "i-check-admin": async ({ params }) => ({ body: await checkAdmin(deps, params.uid) }),
  };
}

/**
 * Find the team of which a user is an admin or owner.
 *
 * @throws ApiError `insufficient-permissions`
 * @see operation `i-check-admin`
 */
async function checkAdmin({ accounts, teams }: Deps, userId: string): Promise<string> {
  const account = await accounts.get(userId);
  const { teamId } = account ?? {};
  const member = teamId === undefined ? undefined : await teams.getMember({ teamId, userId });
  return checkMember(member, { role: "admin" }, insufficientPermissions).teamId;
}

/**
 * Check that somebody has a handle.
 *
 * @throws ApiError `invalid-handle`, `not-found`
 * @see operation `i-check-handle`
 */
async function checkHandle({ accounts }: Deps, handle: string): Promise<void> {
  if (!handlePattern.test(handle)) throw new ApiError("invalid-handle");
  if ((await accounts.findClaim(handleIdentity(handle))) === undefined) throw new ApiError("not-found");
}

interface NewAccount {
  readonly userId: string;
  readonly person: NewPerson;
  readonly role: Role;
  readonly richInfo: RichInfo | undefined;
}

/**
 * Create an account with a given id for a user of an identity provider or a directory.
 *
 * @throws ApiError `invalid-handle`, `rich-info-too-large`, `handle-exists`, `key-exists` for an id, SAML identity or
 * external id in use, `no-team`, `too-many-team-members`, `too-many-members-for-legalhold`
 * @see operation `i-create-sso-user`
 */
async function createProvisionedAccount(
  deps: Deps,
  { userId, person, role, richInfo }: NewAccount,
): Promise<Account> {
  const { accounts, settings } = deps;
  if (person.handle !== undefined) parseHandle(person.handle, settings);
  const account = { ...provisionedAccount(deps, person), userId };
  const normalized = richInfo && normalizeRichInfo(richInfo, settings);
  await change(deps, async () => {
    if ((await accounts.get(userId)) !== undefined) throw new ApiError("key-exists");
    return createAccount(deps, account, { role, ...(normalized && { richInfo: normalized }) });
  })
    .catch(answerTaken)
    .catch(answerJoining);
  return account;
}

/**
 * Read the rich info of users, in one round trip; leaves out unknown and deleted users, but not those without rich
 * info.
 *
 * @see operation `i-get-rich-infos`
 */
async function findRichInfo(
  { accounts, richInfo }: Deps,
  userIds: readonly string[],
): Promise<Map<string, RichInfo | undefined>> {
  const [people, infos] = await Promise.all([accounts.getMany(userIds), richInfo.getMany(userIds)]);
  const present = people.filter(({ status }) => status !== "deleted");
  return new Map(present.map(({ userId }) => [userId, infos.get(userId)]));
}

/**
 * Read the rich info of one user.
 *
 * @throws ApiError `not-found`
 * @see operation `i-get-rich-info`
 */
async function readRichInfo(deps: Deps, userId: string): Promise<RichInfo | undefined> {
  const found = await findRichInfo(deps, [userId]);
  if (!found.has(userId)) throw new ApiError("not-found");
  return found.get(userId);
}

type ProvisionedFields = Partial<
  Pick<Account, "name" | "handle" | "locale" | "managedByScim" | "samlIdentity" | "scim">
>;

/**
 * Change an account as provisioning does: even what its user may not change, and with the same events.
 *
 * @param decide gets the present account; a field that it returns as undefined is removed
 * @throws ApiError `not-found`, `handle-exists`, `key-exists` when another account has the SAML identity or external id
 */
async function changeAccount(
  deps: Deps,
  userId: string,
  decide: (account: Account) => ProvisionedFields,
): Promise<void> {
  const { accounts, outbox } = deps;
  await change(deps, async () => {
    const account = await accounts.get(userId);
    if (account === undefined || account.status === "deleted") throw new ApiError("not-found");
    const fields = decide(account);
    const isSame = Object.entries(fields).every(([field, value]) =>
      isSameContent(value, account[field as keyof ProvisionedFields]),
    );
    if (isSame) return undefined;
    const next = { ...account, ...fields };
    return {
      writes: accounts.save(account, next),
      messages: [...announceChanges(deps, account, next), ...indexUpdateMessages(outbox, account, next)],
    };
  }).catch(answerTaken);
}

/** @throws ApiError `handle-exists`, `key-exists` for another identity in use */
function answerTaken(error: unknown): never {
  if (!(error instanceof IdentityTakenError)) throw error;
  throw new ApiError(error.kind === "handle" ? "handle-exists" : "key-exists", { cause: error });
}
