import { callTimeouts } from "#shared/platform/aws-client-options.ts";

/** Let calls to the emulators take as long as a busy machine needs. */
export const waitPatiently = () => Object.assign(callTimeouts, { connection: 60_000, answer: 60_000 });
