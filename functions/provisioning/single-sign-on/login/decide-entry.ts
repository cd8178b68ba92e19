import { type Account, type Claim, loginObstacle } from "#shared/accounts/account.ts";
import { announceUpdate } from "#shared/accounts/announce-update.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { toSsoId } from "#shared/accounts/profiles/sso-id.ts";
import type { NameId } from "#shared/accounts/provisioned-identity.ts";
import { countCharacters } from "#shared/platform/count-characters.ts";
import { StaleReadError } from "#shared/platform/data/conditions.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import { type Change, combine } from "#shared/platform/messaging/change.ts";
import { createAccount, provisionedAccount } from "#shared/provisioning/create-account.ts";
import { type IdentityProvider, identityAt } from "#shared/provisioning/identity-provider.ts";
import {
  type EmailChange,
  findProvisionedEmail,
  validateProvisionedEmail,
} from "#shared/provisioning/validate-email.ts";
import type { Deps } from "../deps.ts";
import { type DenialLabel, LoginDeniedError } from "./judge.ts";
import { findClaimUnderOldIssuers } from "./look-up.ts";
import { type Attributes, describePerson } from "./response/attributes.ts";
import { emailOf } from "./response/name-id.ts";

/** A user for whom an identity provider vouches. */
export interface Subject {
  readonly provider: IdentityProvider;
  /** The name, and other spellings by which the user may be known. */
  readonly names: readonly [NameId, ...NameId[]];
  /** The claim on this identity, as it was read. */
  readonly claim: Claim | undefined;
  readonly attributes: Attributes;
}

/** The decision about a subject, and the resulting changes. */
export type Entry =
  | { readonly kind: "denied"; readonly denial: LoginDeniedError; readonly change?: Change }
  | {
      readonly kind: "known";
      readonly user: Pick<Claim, "userId" | "sessionEpoch">;
      readonly change?: Change;
    }
  | { readonly kind: "new"; readonly userId: string; readonly change: Change };

/**
 * Decides whether a subject is let in: as a known user, as one known under an earlier issuer who moves to the present
 * one, or as a new user.
 *
 * @throws ApiError for an address that is none
 * @throws StaleReadError
 */
export async function decideEntry(deps: Deps, subject: Subject): Promise<Entry> {
  const { claim, provider, names } = subject;
  if (claim !== undefined && claim.teamId !== provider.teamId)
    return denied("bad-team", "The user belongs to another team");
  if (claim !== undefined) return (await describedEntry(deps, claim, subject)) ?? knownEntry(claim);
  const former = await findClaimUnderOldIssuers(deps, provider, names);
  return former === undefined ? newcomerEntry(deps, subject) : movedEntry(deps, former, subject);
}

function knownEntry(user: Pick<Claim, "userId" | "sessionEpoch" | "status">, change?: Change): Entry {
  const obstacle = loginObstacle(user.status);
  return obstacle === undefined
    ? { kind: "known", user, ...(change && { change }) }
    : denied(obstacle, "The account cannot be used");
}

/**
 * Completes the account of a known user from attributes: an address, and a name if it has only that of the identity.
 * Values that the user has chosen, or a directory manages, stay.
 */
async function describedEntry(
  deps: Deps,
  { userId }: Claim,
  { provider, names: [nameId], attributes }: Subject,
): Promise<Entry | undefined> {
  if (provider.attributes === undefined) return undefined;
  const { accounts, outbox } = deps;
  const account = await accounts.get(userId);
  if (account === undefined || account.managedByScim || account.status !== "active") return undefined;
  const said = describePerson(attributes, provider.attributes);
  const name = account.name === nameOf(nameId) ? (said.name ?? account.name) : account.name;
  const lacksAddress = account.email === undefined && account.emailUnvalidated === undefined;
  const addressed = lacksAddress ? await addressFor(deps, account, provider.teamId, said.email) : undefined;
  if (name === account.name && addressed === undefined) return undefined;
  const described: Account = { ...account, name, ...addressed?.fields };
  const announced = name === account.name ? [] : announceUpdate(deps, described, { userId }, { name });
  const change = combine(addressed, {
    writes: accounts.save(account, described),
    messages: [...announced, ...indexUpdateMessages(outbox, account, described)],
  });
  return knownEntry(account, change);
}

/** An address that cannot be given to somebody who is known keeps nobody out. */
async function addressFor(
  deps: Deps,
  account: Account,
  teamId: string,
  address: string | undefined,
): Promise<EmailChange | undefined> {
  if (address === undefined) return undefined;
  try {
    const email = await findProvisionedEmail(deps, teamId, address);
    return await validateProvisionedEmail(deps, { previous: account, next: account }, email);
  } catch (error) {
    toRefusal(error);
    return undefined;
  }
}

/** Moves a user known under an earlier issuer to the present one. */
async function movedEntry(
  deps: Deps,
  { userId }: Claim,
  { provider, names: [nameId] }: Subject,
): Promise<Entry> {
  const { accounts, identityProviders, outbox } = deps;
  const account = await accounts.get(userId);
  const isAsFound = provider.oldIssuers.includes(account?.samlIdentity?.issuer ?? "");
  if (account === undefined || !isAsFound) throw new StaleReadError(`account ${userId}`);
  const moved: Account = { ...account, samlIdentity: identityAt(provider, nameId) };
  return knownEntry(account, {
    writes: [...accounts.save(account, moved), identityProviders.addReference(provider)],
    messages: [
      ...announceUpdate(deps, moved, { userId }, { sso_id: toSsoId(moved) }),
      ...indexUpdateMessages(outbox, account, moved),
    ],
  });
}

const maxNameLength = 128;

/** Name of a user whom the identity provider does not describe. */
const nameOf = ({ text }: NameId) => text.replaceAll(/\s+/g, " ");

/** Decides how a subject without an account gets one, unless the directory or a newer provider creates accounts. */
async function newcomerEntry(
  deps: Deps,
  { provider, names: [nameId], attributes }: Pick<Subject, "provider" | "names" | "attributes">,
): Promise<Entry> {
  const { identityProviders, provisioning } = deps;
  const { teamId } = provider;
  const said = provider.attributes === undefined ? {} : describePerson(attributes, provider.attributes);
  const address = said.email ?? emailOf(nameId);
  const [team, email] = await Promise.all([
    provisioning.get(teamId),
    address === undefined ? undefined : findProvisionedEmail(deps, teamId, address),
  ]);
  if (provider.replacedBy !== undefined)
    return denied("cannont-provision-on-replaced-idp", "The identity provider was replaced");
  if (team.tokens.length > 0) return denied("not-found", "Accounts of the team are created by its directory");
  const name = said.name ?? nameOf(nameId);
  if (countCharacters(name) > maxNameLength) return denied("bad-username", "The name is too long");

  const account = provisionedAccount(deps, {
    name,
    teamId,
    managedByScim: false,
    samlIdentity: identityAt(provider, nameId),
  });
  const { userId } = account;
  const given = email && (await validateProvisionedEmail(deps, { next: account }, email).catch(toRefusal));
  const isRefused = given instanceof LoginDeniedError;
  const addressed = isRefused ? undefined : given;
  const change = combine(
    createAccount(deps, { ...account, ...addressed?.fields }, { role: "member" }),
    addressed,
    { writes: [identityProviders.addReference(provider), provisioning.requireUnchanged(team)] },
  );
  return isRefused ? { kind: "denied", denial: given, change } : { kind: "new", userId, change };
}

const denied = (label: DenialLabel, reason: string): Entry => ({
  kind: "denied",
  denial: new LoginDeniedError(label, [reason]),
});

/** The account is created even if it cannot have the address: the next login succeeds without one. */
function toRefusal(error: unknown): LoginDeniedError {
  const refusal = toApiError(error);
  if (refusal.isFault) throw error;
  return new LoginDeniedError(refusal.label, [refusal.message], { cause: refusal });
}
