import { toApiError } from "#shared/platform/http/to-api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";

/** Problems that a form can name, by the errors of its action. */
const problems = {
  "invalid-email": "invalid-email",
  "provider-email-exists": "email-exists",
  "provider-login-failed": "wrong-password",
  "password-must-differ": "same-password",
  "too-many-requests": "too-many-attempts",
  "login-budget-exhausted": "too-many-attempts",
  "code-exists": "code-pending",
  "invalid-service-key": "invalid-key",
  "too-many-services": "too-many-services",
} as const satisfies Partial<Record<ErrorName, string>>;

export type ProviderProblem = (typeof problems)[keyof typeof problems];

const isKnown = (name: string): name is keyof typeof problems => Object.hasOwn(problems, name);

/** Run an action of a provider. @returns the problem, if the provider can correct it */
export async function attemptAsProvider(
  action: () => Promise<unknown>,
): Promise<ProviderProblem | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    const { error: name } = toApiError(error);
    if (!isKnown(name)) throw error;
    return problems[name];
  }
}
