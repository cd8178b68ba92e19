import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "platform",
  name: "canary",
  summary: "Uses the public API as a client does, and measures whether it works",
  audit: { none: "It changes only its own account, by requests that are recorded." },
  trigger: { everySeconds: 300 },
  secrets: ["canary"],
  isClient: true,
};
