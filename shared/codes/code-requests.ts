import type { NetworkLimit } from "#shared/platform/rate-limit/network-limit.ts";

/** Requests that have a code sent, whichever code it is. */
export const codeRequests: NetworkLimit = {
  scope: "codes",
  limits: ({ setCodeDeliveryRateLimitPerIp }) => setCodeDeliveryRateLimitPerIp,
};
