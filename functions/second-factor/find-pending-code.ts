import { type SecondFactorAction, secondFactorKey } from "#shared/auth/second-factor.ts";
import { toSeconds } from "#shared/clock.ts";
import { isLive } from "#shared/data/code/code.ts";
import type { Deps } from "./deps.ts";

/** The code that a user can use now; undefined when none is pending. */
export async function findPendingCode(
  { clock, codes, verificationCodes }: Deps,
  { userId, action }: { userId: string; action: SecondFactorAction },
): Promise<string | undefined> {
  const pending = await codes.get("second-factor", secondFactorKey(userId, action));
  if (pending === undefined || !isLive(pending, toSeconds(clock()))) return undefined;
  return verificationCodes.derive({ ...pending, codeKey: pending.key });
}
