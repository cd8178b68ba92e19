import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/**
 * Delete the account that a deletion code was sent to.
 *
 * @throws ApiError `deletion-code-rejected` for a wrong, used, expired or exhausted code;
 *   `no-self-delete-for-team-owner` when the user has become the owner of a team since it was sent
 * @see operation `verify-delete`
 */
export async function confirmDeletion(
  deps: Deps,
  { key, code: candidate }: { key: string; code: string },
): Promise<void> {
  const { codes, verificationCodes } = deps;
  const code = await codes.takeAttempt("deletion", key);
  const isCorrect =
    code !== undefined && (await verificationCodes.matches({ ...code, codeKey: key }, candidate));
  if (!isCorrect || code.userId === undefined) throw new ApiError("deletion-code-rejected");
  const onRejected = () => new ApiError("deletion-code-rejected");
  await deleteAccount(deps, code.userId, {
    conditions: () => [{ ...codes.consume(code), onRejected }],
    isOwnDecision: true,
  });
}
