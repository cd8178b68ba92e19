import type { CodePurpose } from "../data/code/code.ts";
import { hashedKey } from "../data/code/code-store.ts";
import { deletionKey } from "../erasure/deletion-key.ts";
import { secondFactorAction, secondFactorKey } from "./second-factor.ts";

/** Where the codes are kept that a user is sent to whatever address the account has. */
export const codesToUser = (userId: string): { purpose: CodePurpose; key: string }[] => [
  { purpose: "password-reset", key: hashedKey(userId) },
  { purpose: "deletion", key: deletionKey(userId) },
  ...secondFactorAction.options.map((action) => ({
    purpose: "second-factor" as const,
    key: secondFactorKey(userId, action),
  })),
];
