import { type SecondFactorAction, secondFactorKey } from "#shared/accounts/second-factor/second-factor.ts";
import { isLive } from "#shared/codes/code.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Deps } from "./deps.ts";

/** Find the code that a user can use now; undefined when none is pending. */
export async function findPendingCode(
  { clock, codes, verificationCodes }: Deps,
  { userId, action }: { userId: string; action: SecondFactorAction },
): Promise<string | undefined> {
  const pending = await codes.get("second-factor", secondFactorKey(userId, action));
  if (pending === undefined || !isLive(pending, toSeconds(clock()))) return undefined;
  return verificationCodes.derive({ ...pending, codeKey: pending.key });
}
