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
import { findProvisionedEmail, validateProvisionedEmail } from "#shared/provisioning/validate-email.ts";
import type { Deps } from "../deps.ts";
import { type DenialLabel, LoginDeniedError } from "./login-denied-error.ts";
import { findClaimUnderOldIssuers } from "./look-up.ts";
import { emailOf } from "./response/name-id.ts";

/** A user for whom an identity provider vouches. */
export interface Subject {
  readonly provider: IdentityProvider;
  /** The name, and other spellings by which the user may be known. */
  readonly names: readonly [NameId, ...NameId[]];
  /** The claim on this identity, as it was read. */
  readonly claim: Claim | undefined;
}

/** What is decided about a subject, and what changes with it. */
export type Entry =
  | { readonly kind: "denied"; readonly denial: LoginDeniedError; readonly change?: Change }
  | {
      readonly kind: "known";
      readonly user: Pick<Claim, "userId" | "sessionEpoch">;
      readonly change?: Change;
    }
  | { readonly kind: "new"; readonly userId: string; readonly change: Change };

/**
 * Decides whether and as whom a subject is let in: a user that the provider knows, one that it knows under an earlier
 * issuer, who moves to the present one, or a new one.
 *
 * @throws ApiError for an address that is none
 * @throws StaleReadError
 */
export async function decideEntry(deps: Deps, subject: Subject): Promise<Entry> {
  const { claim, provider, names } = subject;
  if (claim !== undefined && claim.teamId !== provider.teamId)
    return denied("bad-team", "The user belongs to another team");
  if (claim !== undefined) return knownEntry(claim);
  const former = await findClaimUnderOldIssuers(deps, provider, names);
  return former === undefined ? newcomerEntry(deps, subject) : movedEntry(deps, former, subject);
}

function knownEntry(user: Pick<Claim, "userId" | "sessionEpoch" | "status">, change?: Change): Entry {
  const obstacle = loginObstacle(user.status);
  return obstacle === undefined
    ? { kind: "known", user, ...(change && { change }) }
    : denied(obstacle, "The account cannot be used");
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

/** Decides how a subject without an account gets one, unless the directory or a newer provider decides who does. */
async function newcomerEntry(
  deps: Deps,
  { provider, names: [nameId] }: Pick<Subject, "provider" | "names">,
): Promise<Entry> {
  const { identityProviders, provisioning } = deps;
  const { teamId } = provider;
  const address = emailOf(nameId);
  const [team, email] = await Promise.all([
    provisioning.get(teamId),
    address === undefined ? undefined : findProvisionedEmail(deps, teamId, address),
  ]);
  if (provider.replacedBy !== undefined)
    return denied("cannont-provision-on-replaced-idp", "The identity provider was replaced");
  if (team.tokens.length > 0) return denied("not-found", "Accounts of the team are created by its directory");
  if (countCharacters(nameId.text) > maxNameLength) return denied("bad-username", "The name is too long");

  const account = provisionedAccount(deps, {
    name: nameId.text.replaceAll(/\s+/g, " "),
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
