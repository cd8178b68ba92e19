import { rehash } from "#shared/accounts/credentials/rehash.ts";
import {
  type Credentials,
  settleLogin,
  verifyCredentials,
} from "#shared/accounts/credentials/verify-credentials.ts";
import { proveSecondFactor } from "#shared/accounts/second-factor/second-factor.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import { type StartedSession, startSession } from "./start-session.ts";

export interface LogInCommand extends Credentials {
  /** Code of the second factor. */
  readonly secondFactor?: string;
  readonly label?: string;
  readonly isPersistent: boolean;
}

/**
 * Log in with a password.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @see operation `login`
 */
export async function logIn(deps: Deps, command: LogInCommand, sourceIp: string): Promise<StartedSession> {
  const { passwordChecks } = deps;
  const verified = await verifyCredentials(deps, command, sourceIp);
  const { needsCode } = verified;
  const candidate = command.secondFactor;
  if (needsCode && candidate === undefined) {
    // Not a failed attempt: this is how clients learn that a code is needed.
    await passwordChecks.refund(verified.scope);
    throw new ApiError("code-authentication-required");
  }
  const code = needsCode
    ? await proveSecondFactor(deps, verified, { action: "login", candidate })
    : undefined;
  // Password and code were correct, even if no session can be created.
  const [, , opened] = await allDone([
    settleLogin(deps, verified),
    code && deps.codes.returnAttempt(code),
    startSession(deps, verified, { ...command, known: verified.known }),
  ]);
  await rehash(deps, verified, command.password);
  return opened;
}
