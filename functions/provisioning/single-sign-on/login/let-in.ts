import { answerJoining } from "#shared/accounts/accept-invitation.ts";
import type { Account, Claim } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { announceUpdate } from "#shared/accounts/announce-update.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { loginObstacle } from "#shared/accounts/login-obstacle.ts";
import { openSession } from "#shared/accounts/open-session.ts";
import { toSsoId } from "#shared/accounts/profiles/sso-id.ts";
import { type NameId, samlClaimsInTeam } from "#shared/accounts/provisioned-identity.ts";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import { type Change, commit } from "#shared/platform/messaging/change.ts";
import { sendAll } from "#shared/platform/messaging/outbox.ts";
import { createAccount, provisionedAccount } from "#shared/provisioning/create-account.ts";
import { type IdentityProvider, identityAt } from "#shared/provisioning/identity-provider.ts";
import {
  type EmailChange,
  findProvisionedEmail,
  validateProvisionedEmail,
} from "#shared/provisioning/validate-email.ts";
import { newCookie } from "#shared/sessions/cookies.ts";
import { signCookie } from "#shared/sessions/sign-cookie.ts";
import type { Deps } from "../deps.ts";
import { LoginDeniedError } from "./login-denied-error.ts";
import { emailOf } from "./response/name-id.ts";

/** A user for whom an identity provider vouches. */
export interface Subject {
  readonly provider: IdentityProvider;
  readonly nameId: NameId;
  /** The claim on this identity, as it was read. */
  readonly claim: Claim | undefined;
}

interface Options {
  /** Label of the cookie. */
  readonly label: string | undefined;
  /** Writes that consume the request and the assertions, in the same transaction as their effect. */
  readonly consumption: readonly Write[];
}

/** A user who has been let in. */
export interface LetIn {
  readonly userId: string;
  /** `Set-Cookie` value. */
  readonly setCookie: string;
}

/**
 * Give a subject a session: for a known account, for one known under an earlier issuer of the provider, which moves to
 * the present issuer, or for a new one. Whatever the outcome, it uses up request and assertions.
 *
 * @throws LoginDeniedError
 * @throws ReplayError when another response for the request was faster
 * @throws ConflictError when something that was read has changed, so that everything must be read again
 */
export async function letIn(deps: Deps, subject: Subject, options: Options): Promise<LetIn> {
  const { claim, provider } = subject;
  if (claim !== undefined) {
    if (claim.teamId !== provider.teamId)
      return deny(deps, options, "bad-team", "The user belongs to another team");
    return openKnown(deps, claim, options);
  }
  const moving = await findUnderOldIssuers(deps, subject);
  return moving === undefined ? letInNewcomer(deps, subject, options) : move(deps, moving, subject, options);
}

async function openKnown(
  deps: Deps,
  claim: Pick<Claim, "userId" | "sessionEpoch" | "status">,
  { label, consumption }: Options,
  { writes, messages }: Change = { writes: [], messages: [] },
): Promise<LetIn> {
  const obstacle = loginObstacle(claim.status);
  if (obstacle !== undefined) return deny(deps, { consumption }, obstacle, "The account cannot be used");
  try {
    const options = { label, isPersistent: true };
    const { setCookie } = await openSession(deps, claim, options, {
      writes: [...consumption, ...writes],
      messages,
    });
    return { userId: claim.userId, setCookie };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // All cookies were revoked since the claim was read: the user may be suspended or deleted.
    if (error.error === "invalid-credentials") throw new StaleReadError(error.message, { cause: error });
    const denial = error.error === "cookie-throttled" ? "bad-upstream" : error.label;
    return deny(deps, { consumption }, denial, error.message, error);
  }
}

/** The newest of the earlier issuers under which the team has the user. */
async function findUnderOldIssuers(
  { accounts }: Deps,
  { provider: { oldIssuers, teamId }, nameId }: Subject,
): Promise<Claim | undefined> {
  if (oldIssuers.length === 0) return undefined;
  const claims = await accounts.findClaims(
    oldIssuers.flatMap((issuer) => samlClaimsInTeam(teamId, { issuer, nameId })),
  );
  return claims.find((claim) => claim?.teamId === teamId);
}

/** Lets in a user known under an earlier issuer, and moves the user to the present one. */
async function move(
  deps: Deps,
  { userId }: Claim,
  { provider, nameId }: Subject,
  options: Options,
): Promise<LetIn> {
  const { accounts, identityProviders, outbox } = deps;
  const account = await accounts.get(userId);
  const isAsFound = provider.oldIssuers.includes(account?.samlIdentity?.issuer ?? "");
  if (account === undefined || !isAsFound) throw new StaleReadError(`account ${userId}`);
  const moved: Account = { ...account, samlIdentity: identityAt(provider, nameId) };
  return openKnown(deps, account, options, {
    writes: [...accounts.save(account, moved), identityProviders.addReference(provider)],
    messages: [
      ...announceUpdate(deps, moved, { userId }, { sso_id: toSsoId(moved) }),
      ...indexUpdateMessages(outbox, account, moved),
    ],
  });
}

/** Creates an account, unless the directory or a newer provider decides who gets one. */
async function letInNewcomer(
  deps: Deps,
  { provider, nameId }: Subject,
  { label, consumption }: Options,
): Promise<LetIn> {
  const { clock, dynamo, identityProviders, provisioning, sessions, settings } = deps;
  const { teamId } = provider;
  const address = emailOf(nameId);
  const [team, email] = await Promise.all([
    provisioning.get(teamId),
    address === undefined ? undefined : findProvisionedEmail(deps, teamId, address),
  ]);
  if (provider.replacedBy !== undefined)
    return deny(
      deps,
      { consumption },
      "cannont-provision-on-replaced-idp",
      "The identity provider was replaced",
    );
  if (team.tokens.length > 0)
    return deny(deps, { consumption }, "not-found", "Accounts of the team are created by its directory");
  if (nameId.text.length > maxNameLength)
    return deny(deps, { consumption }, "bad-username", "The name is too long");

  const person = {
    name: nameId.text,
    teamId,
    managedByScim: false,
    samlIdentity: identityAt(provider, nameId),
  };
  const account = provisionedAccount(deps, person);
  const { userId } = account;
  const given = email && (await validateProvisionedEmail(deps, { next: account }, email).catch(toRefusal));
  const refusal = given instanceof ApiError ? given : undefined;
  const addressed: Partial<EmailChange> = given instanceof ApiError ? {} : (given ?? {});
  const created = createAccount(deps, { ...account, ...addressed.fields }, { role: "member" });
  const cookie = newCookie({ type: "persistent", label }, settings, clock());
  const messages = [...created.messages, ...(addressed.messages ?? [])];
  await commit(dynamo, {
    writes: [
      ...consumption,
      ...created.writes,
      ...(addressed.writes ?? []),
      ...(refusal === undefined ? [sessions.create(userId, cookie)] : []),
      identityProviders.addReference(provider),
      provisioning.requireUnchanged(team),
    ],
    messages,
  })
    .catch(retryWhenTaken)
    .catch(answerJoining);
  await sendAll(messages);
  if (refusal !== undefined) throw new LoginDeniedError(refusal.label, [refusal.message], { cause: refusal });
  return { userId, setCookie: await signCookie(deps, userId, cookie) };
}

const maxNameLength = 128;

/** The account is created even if it cannot have the address: the next login succeeds without one. */
function toRefusal(error: unknown): ApiError {
  const refusal = toApiError(error);
  if (refusal.isFault) throw error;
  return refusal;
}

/** Another account has just got the identity or the address, so the login is decided anew. */
function retryWhenTaken(error: unknown): never {
  if (error instanceof IdentityTakenError) throw new StaleReadError(error.message, { cause: error });
  throw error;
}

async function deny(
  { dynamo }: Pick<Deps, "dynamo">,
  { consumption }: Pick<Options, "consumption">,
  label: string,
  reason: string,
  cause?: unknown,
): Promise<never> {
  await commit(dynamo, { writes: consumption });
  throw new LoginDeniedError(label, [reason], { cause });
}
