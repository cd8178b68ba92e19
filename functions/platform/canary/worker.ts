import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "platform",
  name: "canary",
  summary: "Uses the public API as a client does, and measures whether it works",
  trigger: { everySeconds: 300 },
  secrets: ["canary"],
  isClient: true,
};
