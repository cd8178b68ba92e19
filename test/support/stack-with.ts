import { randomUUID } from "node:crypto";
import type { InstanceOptions } from "#lib/local/instance.ts";
import { parseSettings, type SettingsInput } from "#shared/registry/settings.ts";
import { count } from "./costs.ts";
import { directApi } from "./direct-api.ts";
import { newNetwork } from "./networks.ts";
import type { OwnStack } from "./own-stack.ts";
import { sharedPrefix, startVariant } from "./shared-stack.ts";
import { testSettings } from "./test-settings.ts";

/**
 * The shared stack with other settings, or with a clock that the test moves: its functions run apart, on the same tables and
 * queues. It ends with the test file. Requests come from a network of its own. With a stopped clock, time passes only by
 * `advance`, however slow the machine is.
 */
export async function stackWith(
  settings: SettingsInput = {},
  {
    isClockStopped = false,
    expectsError = () => false,
    ...options
  }: {
    isClockStopped?: boolean;
    /** Whether the test itself makes functions throw an error; any other is printed. */
    expectsError?: (error: unknown) => boolean;
  } & Partial<Pick<InstanceOptions, "hasPlainCookies" | "logLevel" | "onRequest">> = {},
): Promise<OwnStack> {
  count("variants");
  let offset = 0;
  const startedAt = Date.now();
  const clock = () => (isClockStopped ? startedAt : Date.now()) + offset;
  const data = { prefix: sharedPrefix, clock, settings: { ...testSettings, ...settings } };
  const stack = await startVariant(`variant-${randomUUID()}`, parseSettings(data.settings), {
    ...options,
    clock,
    // Otherwise nothing is sent again: a test that waits for it says how soon.
    runsSchedules: settings.outboxResendSeconds !== undefined,
    onFunctionError: (error) => {
      if (!expectsError(error)) console.error(error);
    },
  });
  const network = newNetwork();
  return {
    ...stack,
    data,
    publicApi: directApi(stack, "public", network).api,
    internalApi: directApi(stack, "internal", network).api,
    advance: (seconds) => {
      offset += seconds * 1000;
    },
  };
}
