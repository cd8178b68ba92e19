import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "platform",
  name: "key-rotation",
  summary: "Adds a signing key and removes those that no valid token needs",
  audit: { none: "It keeps the service running, on nobody's behalf." },
  trigger: { rotationOf: "signing-keys", everyDays: 30 },
  rotates: ["signing-keys", "verification-keys"],
};
