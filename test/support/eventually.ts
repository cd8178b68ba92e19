import { vi } from "vitest";
import { withEffects } from "./effects.ts";

/**
 * Repeat a check until it passes, for longer than a busy machine needs.
 * @returns what the check returns
 */
export const eventually = <Result>(
  check: () => Result | Promise<Result>,
  { timeoutSeconds = Number(process.env.EVENTUALLY ?? 60) }: { timeoutSeconds?: number } = {},
): Promise<Result> => withEffects(() => vi.waitFor(check, { timeout: timeoutSeconds * 1000, interval: 50 }));
