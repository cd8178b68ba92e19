import { type Account, isActivated } from "#shared/accounts/account.ts";
import {
  type AccountAndTeam,
  activationDelivery,
  pendingCodes,
  referenceTo,
} from "#shared/accounts/activation/activation-code.ts";
import { withFoundedTeam } from "#shared/accounts/activation/confirm-identity.ts";
import {
  checkAllowList,
  checkAvailable,
  checkDomainNotBlocked,
} from "#shared/accounts/activation/identity-rules.ts";
import { contactIdentity, handleIdentity, storedContacts } from "#shared/accounts/identity.ts";
import { activationKey, type IdentityRecord } from "#shared/accounts/identity-lookup.ts";
import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { chargeSms, checkNumber } from "#shared/accounts/sms-allowance.ts";
import { isLive, isLiveByKey, linkKey, parseLinkKey } from "#shared/codes/code.ts";
import { noteAccounts } from "#shared/platform/audit/audited.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { pagesFor } from "#shared/platform/html/pages-for.ts";
import { splitToFit } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { type Activation, activate } from "./activate.ts";
import type { Deps } from "./deps.ts";
import { createHandlers as createJoiningHandlers } from "./joining/handlers.ts";
import { activatedPage, activationPage, translations } from "./pages/activation-pages.ts";
import { register } from "./register.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;
  const pages = pagesFor(translations, settings);

  return {
    ...createJoiningHandlers(deps),

    "post-activate-send": async ({ body, sourceIp }) => {
      await sendActivationCode(deps, body, sourceIp);
      return {};
    },

    "post-activate": async ({ body: { dryrun, ...command }, sourceIp }) =>
      toActivationReply(await activate(deps, { ...command, isDryRun: dryrun }, sourceIp)),

    "get-activate": async ({ query, sourceIp }) =>
      toActivationReply(await activate(deps, { ...query, isDryRun: false }, sourceIp)),

    "get-activation-page": async ({ query, headers }) => {
      const account = await findAccountOfLink(deps, query.key);
      const { texts, page } = pages(headers);
      const { productName } = settings;
      return page(texts.ask.title, activationPage(texts, { productName, account, ...query }));
    },

    "post-activation-confirmation": async ({ body, headers, sourceIp }) => {
      const activation = await activate(deps, { ...body, isDryRun: false }, sourceIp);
      const { texts, page } = pages(headers);
      const title = activation.outcome === "activated" ? texts.done.confirmed : texts.done.wasConfirmed;
      const name = activation.outcome === "code-is-correct" ? undefined : activation.name;
      return page(title, activatedPage(texts, { title, productName: settings.productName, name }));
    },

    register: async ({ body, sourceIp }) => {
      const { account, setCookie } = await register(deps, body, sourceIp);
      return {
        body: toSelfProfile(account, settings, deps.clock()),
        headers: { location: account.userId },
        cookies: setCookie === undefined ? [] : [setCookie],
      };
    },

    "i-get-users": async ({ query: { includePendingInvitations, ...keys } }) => {
      const found = await findAccounts(deps, {
        ...keys,
        includesPendingInvitations: includePendingInvitations,
      });
      noteAccounts(found);
      const profiles = found.map((account) => toSelfProfile(account, settings, deps.clock()));
      return { body: splitToFit(profiles).fitting };
    },

    "i-create-user": async ({ body, sourceIp }) => {
      const { account } = await register(deps, body, sourceIp, { startsSession: false, isByOperator: true });
      return {
        body: toSelfProfile(account, settings, deps.clock()),
        headers: { location: account.userId },
      };
    },

    "i-get-activation-code": async ({ query }) => ({ body: await findPendingActivation(deps, query) }),
  };
}

function toActivationReply(activation: Activation) {
  switch (activation.outcome) {
    case "activated": {
      const { email, phone, isFirst } = activation;
      return { status: 200, body: { email, phone, first: isFirst } } as const;
    }
    case "code-is-correct":
      return { status: 200 } as const;
    case "already-activated":
      return { status: 204 } as const;
  }
}

/** Find the account that the link in a mail would activate. Only the recipient knows its key. */
async function findAccountOfLink(
  { accounts, clock, codes }: Deps,
  linkKey: string,
): Promise<Account | undefined> {
  const { key, nonce } = parseLinkKey(linkKey);
  const code = pendingCodes(await codes.get("activation", key), clock()).find(
    (other) => other.nonce === nonce,
  );
  return code?.userId === undefined ? undefined : accounts.get(code.userId);
}

/** Has ids, handles, or an email address or phone number. */
interface FindAccountsCommand {
  readonly ids?: readonly string[];
  readonly handles?: readonly string[];
  readonly email?: string;
  readonly phone?: string;
  readonly includesPendingInvitations: boolean;
}

/**
 * Find accounts in any state, in no particular order; unknown ones are left out.
 *
 * @throws ApiError `invalid-email`, `invalid-phone`
 * @see operation `i-get-users`
 */
async function findAccounts(deps: Deps, command: FindAccountsCommand): Promise<Account[]> {
  const { accounts } = deps;
  const read = await accounts.getMany(command.ids ?? (await ownerIds(deps, command)));
  return read.filter(({ status }) => command.includesPendingInvitations || status !== "pending-invitation");
}

async function ownerIds(
  { accounts, settings }: Deps,
  { handles, ...address }: FindAccountsCommand,
): Promise<string[]> {
  const claims = await accounts.findClaims(
    handles?.map(handleIdentity) ?? [contactIdentity(address, settings)],
  );
  return claims.filter((claim) => claim !== undefined).map(({ userId }) => userId);
}

/** Find the newest live activation code of an address or number. @throws ApiError `no-activation-code` */
async function findPendingActivation(
  { codes, settings, clock, verificationCodes }: Deps,
  address: { email?: string; phone?: string },
): Promise<{ key: string; code: string }> {
  const now = clock();
  const activation = await codes.get("activation", activationKey(contactIdentity(address, settings)));
  const newest = pendingCodes(activation, now).at(-1);
  const isPending =
    activation !== undefined &&
    (isLive(activation, toSeconds(now)) || isLiveByKey(activation, toSeconds(now)));
  if (!isPending || newest === undefined) throw new ApiError("no-activation-code");
  const { key } = activation;
  return { key: linkKey(key, newest), code: await verificationCodes.derive(referenceTo(key, newest)) };
}

/**
 * Send a code to an email address or phone number: each waiting registration gets its own code; without any, the code
 * has no account. While a code is pending, it is sent again, with its remaining attempts.
 *
 * @throws ApiError `allowlist-rejected`, `domain-blocked-for-registration`, `invalid-email`, `invalid-phone`,
 * `key-exists`, `blacklisted-email`, `blacklisted-phone`, `too-many-requests`
 * @see operation `post-activate-send`
 */
async function sendActivationCode(
  deps: Deps,
  command: { email?: string; phone?: string; locale?: string },
  sourceIp: string,
): Promise<void> {
  const { settings, clock, identities } = deps;
  checkAllowList(command, settings);
  checkDomainNotBlocked(command, settings);
  const identity = contactIdentity(command, settings);
  await checkNumber(identity);

  await change(deps, async (attempt) => {
    const record = await identities.find(identity);
    checkAvailable(record);
    const waiting = await registrationsWaitingFor(deps, record);
    const owners = waiting.length > 0 ? waiting : [undefined];
    if (attempt === 1) await chargeSms(deps, identity, { sourceIp, count: owners.length });
    return activationDelivery(deps, record, {
      owners,
      locale: command.locale,
      now: clock(),
      network: networkOf(sourceIp),
    });
  });
}

/**
 * Accounts that registered with this identity and wait for it. Leaves out active accounts: their users ask through
 * `change-self-email` or `change-phone`, and a link for somebody who wants to register must not give the address to
 * them.
 */
async function registrationsWaitingFor(
  { accounts, settings, teams }: Deps,
  { activation, identity }: IdentityRecord,
): Promise<AccountAndTeam[]> {
  const userIds = activation?.activations?.flatMap(({ userId, usedBy }) =>
    userId === undefined || usedBy !== undefined ? [] : [userId],
  );
  if (userIds === undefined || userIds.length === 0) return [];
  const found = await accounts.getMany([...new Set(userIds)]);
  const waiting = found.filter((account) => {
    const { emailUnvalidated: email, phoneUnvalidated: phone } = account;
    const waitsFor = storedContacts({ email, phone }, settings).some(({ key }) => key === identity.key);
    return waitsFor && account.status === "active" && !isActivated(account);
  });
  return Promise.all(waiting.map((account) => withFoundedTeam(teams, account)));
}
