import { randomUUID } from "node:crypto";
import { inject, onTestFinished } from "vitest";
import { startStack } from "#lib/local/stack.ts";
import type { SettingsInput } from "#shared/settings.ts";
import { apiAt } from "./api.ts";
import { testSettings } from "./test-settings.ts";
import type { Apis } from "./users.ts";

export interface OwnStack extends Apis {
  /** Let time pass for the stack, in seconds. */
  advance(seconds: number): void;
  now(): number;
}

/** A stack with settings and a clock of the test's own, on the emulators of the run; stopped when the test ends. */
export async function ownStack(settings: SettingsInput = {}): Promise<OwnStack> {
  const emulators = inject("emulators");
  Object.assign(process.env, emulators.environment, { LOG_LEVEL: "CRITICAL" });
  let offset = 0;
  const now = () => Date.now() + offset;
  const stack = await startStack({
    settings: { ...testSettings, ...settings },
    prefix: `own-${randomUUID().slice(0, 8)}`,
    emulators,
    clock: now,
  });
  onTestFinished(() => stack.stop());
  return {
    publicApi: apiAt(stack.publicUrl),
    internalApi: apiAt(stack.internalUrl),
    advance: (seconds) => {
      offset += seconds * 1000;
    },
    now,
  };
}
