import { toApiError } from "#shared/platform/http/to-api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { ResetProblem } from "./routes.ts";

const problems: Partial<Record<ErrorName, ResetProblem>> = {
  "invalid-email": "invalid-address",
  "invalid-phone": "invalid-address",
  "too-many-requests": "too-many-attempts",
  "reset-code-rejected": "wrong-code",
  "password-must-differ": "same-password",
};

/** Take the step of a form. @returns what the user has to correct; every other error is thrown */
export async function attempt(step: () => Promise<void>): Promise<ResetProblem | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    const problem = problems[toApiError(error).error];
    if (problem === undefined) throw error;
    return problem;
  }
}
