import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { type LocalStack, startStack } from "#lib/local/stack.ts";
import type { Clock } from "#shared/clock.ts";
import type { SettingsInput } from "#shared/settings.ts";
import { apiAt } from "./api.ts";
import { testSettings } from "./test-settings.ts";
import type { Apis } from "./users.ts";

export interface OwnStack extends Apis, Pick<LocalStack, "invoke" | "publicUrl"> {
  /** Begins the name of each of its resources. */
  readonly prefix: string;
  /** Let time pass for the stack, in seconds. */
  advance(seconds: number): void;
  /** Unix milliseconds of the stack. */
  readonly clock: Clock;
}

const running: LocalStack[] = [];

/** End the stacks that a test file has started. */
export const stopOwnStacks = () => Promise.all(running.splice(0).map((stack) => stack.stop()));

/**
 * A stack with settings and a clock of the test's own, on the emulators of the run; stopped with the test file.
 * Given the prefix of another one, it works on the data of that.
 */
export async function ownStack(
  settings: SettingsInput = {},
  { prefix = `own-${randomUUID().slice(0, 8)}` }: { prefix?: string } = {},
): Promise<OwnStack> {
  const emulators = inject("emulators");
  Object.assign(process.env, emulators.environment, { LOG_LEVEL: "CRITICAL" });
  let offset = 0;
  const folder = mkdtempSync(join(emulators.folder, `${prefix}-`));
  const clock = () => Date.now() + offset;
  const stack = await startStack({
    settings: { ...testSettings, ...settings },
    prefix,
    emulators: { environment: emulators.environment, folder },
    clock,
  });
  running.push(stack);
  return {
    prefix,
    clock,
    publicUrl: stack.publicUrl,
    publicApi: apiAt(stack.publicUrl),
    internalApi: apiAt(stack.internalUrl),
    invoke: stack.invoke,
    advance: (seconds) => {
      offset += seconds * 1000;
    },
  };
}
