import type { ApiError } from "#shared/platform/http/api-error.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Problem } from "./pages/outcomes.ts";

const problems: Partial<Record<ErrorName, Problem>> = {
  "invalid-credentials": "wrong-password",
  "application-access-denied": "wrong-password",
  "missing-auth": "wrong-password",
  "login-budget-exhausted": "too-many-attempts",
  "too-many-requests": "too-many-attempts",
  "managed-by-scim": "managed",
  "handle-exists": "handle-taken",
  "invalid-handle": "invalid-handle",
  "password-must-differ": "same-password",
  "no-self-delete-for-team-owner": "team-owner",
  "concurrent-change": "again",
};

/** Run an action of a form. @returns the problem, if the user can correct it; every other error is thrown */
export async function attempt(action: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    const { error: name }: ApiError = toApiError(error);
    const problem = problems[name];
    if (problem === undefined) throw error;
    return problem;
  }
}
