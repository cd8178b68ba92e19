import type { CodePurpose } from "#shared/codes/code.ts";
import { hashedKey } from "#shared/codes/code-store.ts";
import type { VerificationCodes } from "#shared/codes/verification-code.ts";
import { secondFactorAction, secondFactorKey } from "./second-factor.ts";

/** Keys of the codes that are sent to the account's current address, as opposed to a given one. */
export const codesToUser = async (
  verificationCodes: VerificationCodes,
  userId: string,
): Promise<{ purpose: CodePurpose; key: string }[]> => [
  { purpose: "password-reset", key: hashedKey(userId) },
  { purpose: "deletion", key: await verificationCodes.deletionKey(userId) },
  ...secondFactorAction.options.map((action) => ({
    purpose: "second-factor" as const,
    key: secondFactorKey(userId, action),
  })),
];
