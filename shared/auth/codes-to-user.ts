import type { CodePurpose } from "../data/code/code.ts";
import { hashedKey } from "../data/code/code-store.ts";
import { secondFactorAction, secondFactorKey } from "./second-factor.ts";
import type { VerificationCodes } from "./verification-code.ts";

/** Where the codes are kept that a user is sent to whatever address the account has. */
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
