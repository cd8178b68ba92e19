import { randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { defaultLocale } from "#shared/accounts/account-types.ts";
import { announceActivation } from "#shared/accounts/activation/confirm-identity.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import { announceJoin } from "#shared/teams/announce.ts";
import { permissionsOf, type Role } from "#shared/teams/permissions.ts";
import type { ProvisioningDeps } from "./provisioning-deps.ts";

type Deps = Pick<
  ProvisioningDeps,
  "accounts" | "clock" | "events" | "outbox" | "richInfo" | "settings" | "teams"
>;

/** Data of a provider or a directory about a new user. */
export type NewPerson = Pick<Account, "name" | "managedByScim"> & {
  readonly teamId: string;
} & Partial<Pick<Account, "handle" | "locale" | "samlIdentity" | "scim" | "status">>;

/** Create the account of a user whom a provider or a directory adds to a team, which needs no activation. */
export function provisionedAccount(
  { settings, clock }: Pick<Deps, "settings" | "clock">,
  person: NewPerson,
): Account & { readonly teamId: string } {
  return {
    userId: randomUUID(),
    revision: 1,
    status: "active",
    accentId: 0,
    assets: [],
    picture: [],
    supportedProtocols: ["proteus"],
    conferenceCalling: settings.conferenceCalling.defaultForNew ?? undefined,
    sessionEpoch: 0,
    createdAt: clock(),
    ...person,
    locale: person.locale ?? defaultLocale(settings),
  };
}

/**
 * Decides what to write and announce when such an account is created. Nobody else knows the user yet, so only the
 * team's admins and its log are told.
 *
 * Rejected as `IdentityTakenError` for a handle, SAML identity, external id or address in use, and as `TeamFullError`,
 * `TeamFullForLegalHoldError`, `TooManyAdminsError` or `TeamNotFoundError`.
 *
 * @param account made by `provisionedAccount`, with an address if that has been validated
 */
export function createAccount(
  deps: Deps,
  account: Account & { readonly teamId: string },
  { role, richInfo }: { readonly role: Role; readonly richInfo?: RichInfo },
): Change {
  const { accounts, outbox, teams } = deps;
  const { userId, teamId } = account;
  const permissions = permissionsOf(role);
  const hasRichInfo = richInfo !== undefined && richInfo.fields.length > 0;
  return {
    writes: [
      ...accounts.save(undefined, account),
      ...teams.addMember({ teamId, userId, permissions, legalHoldStatus: "no_consent" }),
      ...(hasRichInfo ? [deps.richInfo.put(userId, richInfo)] : []),
    ],
    messages: [
      ...announceActivation(deps, account, { isNew: true }),
      ...announceJoin(deps, { teamId, userId }),
      ...indexUpdateMessages(outbox, undefined, account),
    ],
  };
}
