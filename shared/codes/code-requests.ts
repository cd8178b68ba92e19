import type { NetworkLimit } from "#shared/platform/rate-limit/network-limit.ts";

/** Requests to send a code of any kind. */
export const codeRequests: NetworkLimit = {
  scope: "codes",
  limits: ({ setCodeDeliveryRateLimitPerIp }) => setCodeDeliveryRateLimitPerIp,
};
