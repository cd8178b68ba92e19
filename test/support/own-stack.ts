import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { LocalStack, LocalStackOptions } from "#lib/local/stack.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { apiAt } from "./api.ts";
import { count } from "./costs.ts";
import { sharedStack, startQueueWorkers } from "./shared-stack.ts";
import { socketMode } from "./socket-mode.ts";
import { testSettings } from "./test-settings.ts";
import type { Apis } from "./users.ts";

/** A stack of the test's own. */
export interface OwnStack
  extends Apis,
    Pick<
      LocalStack,
      "entranceSecret" | "invoke" | "publicUrl" | "internalUrl" | "settings" | "queueUrls" | "tableName"
    > {
  /** Prefix of the names of its resources. */
  readonly prefix: string;
  /** Advance the stack's clock. */
  advance(seconds: number): void;
  /** The stack's clock, in Unix milliseconds. */
  readonly clock: Clock;
}

const running: LocalStack[] = [];

/** Stop the stacks that a test file has started. */
export const stopOwnStacks = () => Promise.all(running.splice(0).map((stack) => stack.stop()));

/**
 * Start a stack with the test's own settings and clock, on the emulators of the shared one. It stops at the end of the
 * test file. With the prefix of another stack, it works on that stack's data. With a stopped clock, time passes only by
 * `advance`, however slow the machine is.
 */
export async function ownStack(
  settings: SettingsInput = {},
  {
    prefix = `own-${randomUUID().slice(0, 8)}`,
    isClockStopped = false,
    expectsError = () => false,
    ...options
  }: {
    prefix?: string;
    isClockStopped?: boolean;
    /** Whether the test itself makes functions throw an error; any other is printed. */
    expectsError?: (error: unknown) => boolean;
  } & Pick<
    LocalStackOptions,
    "sockets" | "frames" | "logLevel" | "onRequest" | "restoredTables" | "runsSchedulesAtStart"
  > = {},
): Promise<OwnStack> {
  // Not imported at the top: most files start no stack and should not load its code.
  const { startStack } = await import("#lib/local/stack.ts");
  count("stacks");
  const emulators = sharedStack();
  let offset = 0;
  const folder = mkdtempSync(join(emulators.folder, `${prefix}-`));
  const startedAt = Date.now();
  const clock = () => (isClockStopped ? startedAt : Date.now()) + offset;
  const data = { prefix, clock, settings: { ...testSettings, ...settings } };
  const stack = await startStack({
    // Before the settings, because the options may be a stack with settings of its own.
    ...options,
    settings: data.settings,
    prefix,
    emulators: { environment: emulators.environment, folder },
    sockets: socketMode(),
    clock,
    isPreloaded: false,
    startQueueWorkers: (target) => startQueueWorkers(prefix, target),
    onFunctionError: (error) => {
      if (!expectsError(error)) console.error(error);
    },
  });
  running.push(stack);
  return {
    prefix,
    clock,
    publicUrl: stack.publicUrl,
    internalUrl: stack.internalUrl,
    data,
    publicApi: apiAt(stack.publicUrl),
    internalApi: apiAt(stack.internalUrl),
    entranceSecret: stack.entranceSecret,
    invoke: stack.invoke,
    settings: stack.settings,
    queueUrls: stack.queueUrls,
    tableName: stack.tableName,
    advance: (seconds) => {
      offset += seconds * 1000;
    },
  };
}
