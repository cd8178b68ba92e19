import { type Emulators, startEmulators } from "#lib/local/emulators/emulators.ts";

/** Start emulators of AWS for the time of this call, and let the SDK of this process find them. */
export async function withEmulators<Result>(use: (emulators: Emulators) => Promise<Result>): Promise<Result> {
  process.env.LOG_LEVEL = "CRITICAL";
  const emulators = await startEmulators();
  Object.assign(process.env, emulators.environment);
  try {
    return await use(emulators);
  } finally {
    await emulators.stop();
    for (const name of Object.keys(emulators.environment)) delete process.env[name];
  }
}
