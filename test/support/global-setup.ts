import type { TestProject } from "vitest/node";
import { startConsole } from "#lib/local/console.ts";
import { startEmulators } from "#lib/local/emulators.ts";
import { startStack } from "#lib/local/stack.ts";
import { testSettings } from "./test-settings.ts";

declare module "vitest" {
  interface ProvidedContext {
    publicUrl: string;
    internalUrl: string;
    consoleUrl: string;
    emulators: { environment: Record<string, string>; folder: string };
  }
}

/** One set of emulators and one stack for the whole run; tests keep apart by having users of their own. */
export default async function setup(project: TestProject) {
  const emulators = await startEmulators();
  Object.assign(process.env, emulators.environment, { LOG_LEVEL: "CRITICAL" });
  const stack = await startStack({ settings: testSettings, prefix: "test", emulators });
  const console = await startConsole({ emulators, stack, port: 0 });
  project.provide("publicUrl", stack.publicUrl);
  project.provide("internalUrl", stack.internalUrl);
  project.provide("consoleUrl", console.url);
  project.provide("emulators", { environment: { ...emulators.environment }, folder: emulators.folder });
  return async () => {
    await console.stop();
    await stack.stop();
    await emulators.stop();
  };
}
