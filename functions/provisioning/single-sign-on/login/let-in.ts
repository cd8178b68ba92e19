import type { Claim } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { answerJoining } from "#shared/accounts/join-team.ts";
import { openSession } from "#shared/accounts/open-session.ts";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type Change, combine, commit } from "#shared/platform/messaging/change.ts";
import { sendAll } from "#shared/platform/messaging/outbox.ts";
import { newSession } from "#shared/sessions/new-session.ts";
import type { Deps } from "../deps.ts";
import { decideEntry, type Subject } from "./decide-entry.ts";
import { LoginDeniedError } from "./judge.ts";

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
 * the present issuer, or for a new one. Whatever the outcome, it consumes request and assertions.
 *
 * @throws LoginDeniedError
 * @throws ReplayError when another response for the request was faster
 * @throws ConflictError when something that was read has changed, so that everything must be read again
 */
export async function letIn(deps: Deps, subject: Subject, { label, consumption }: Options): Promise<LetIn> {
  const entry = await decideEntry(deps, subject);
  const answered = combine({ writes: consumption }, entry.change);
  if (entry.kind === "denied") return deny(deps, entry.denial, answered);
  if (entry.kind === "known") {
    const { userId } = entry.user;
    try {
      const { setCookie } = await openSession(deps, entry.user, { label, isPersistent: true }, answered);
      return { userId, setCookie };
    } catch (error) {
      return deny(deps, toSessionDenial(error), { writes: consumption });
    }
  }
  const { userId } = entry;
  const { cookie, setCookie } = await newSession(deps, userId, { type: "persistent", label });
  const afterCommit = () => deps.counts.add({ registrations: 1, activeUsers: 1, monthlyUsers: 1 });
  await store(deps, combine(answered, { writes: [deps.sessions.create(userId, cookie)], afterCommit }));
  return { userId, setCookie };
}

/**
 * Find out who a subject is, without a session: for pages that open one themselves. Creates no account. Whatever the
 * outcome, it consumes request and assertions.
 *
 * @throws LoginDeniedError, ReplayError, ConflictError as `letIn` does
 */
export async function recognise(
  deps: Deps,
  subject: Subject,
  consumption: readonly Write[],
): Promise<Pick<Claim, "userId" | "sessionEpoch">> {
  const entry = await decideEntry(deps, subject);
  if (entry.kind === "denied") return deny(deps, entry.denial, { writes: consumption });
  if (entry.kind === "new") {
    const denial = new LoginDeniedError("not-found", ["Nobody has this account yet"]);
    return deny(deps, denial, { writes: consumption });
  }
  await store(deps, combine({ writes: consumption }, entry.change));
  return entry.user;
}

/** @throws StaleReadError when all cookies were revoked since the claim was read: the user may be suspended or deleted */
function toSessionDenial(error: unknown): LoginDeniedError {
  if (!(error instanceof ApiError)) throw error;
  if (error.error === "invalid-credentials") throw new StaleReadError(error.message, { cause: error });
  const label = error.error === "cookie-throttled" ? "bad-upstream" : error.label;
  return new LoginDeniedError(label, [error.message], { cause: error });
}

async function deny(deps: Deps, denial: LoginDeniedError, change: Partial<Change>): Promise<never> {
  await store(deps, change);
  throw denial;
}

async function store({ dynamo }: Deps, change: Partial<Change>): Promise<void> {
  const unsent = await commit(dynamo, change).catch(retryWhenTaken).catch(answerJoining);
  await Promise.all([sendAll(unsent), change.afterCommit?.()]);
}

/** Another account has just got the identity or the address, so the login is decided again. */
function retryWhenTaken(error: unknown): never {
  if (error instanceof IdentityTakenError) throw new StaleReadError(error.message, { cause: error });
  throw error;
}
