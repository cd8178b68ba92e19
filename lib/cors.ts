/** CORS rules for pages of the allowed origins, read by both wirings of the public API. */
export const cors = {
  /** Listed by name: browsers take a wildcard literally where credentials are sent. */
  methods: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
  headers: ["asset-token", "authorization", "content-encoding", "content-type", "dpop"],
  /** Response headers that pages may read in addition to the few that they always may. */
  exposedHeaders: ["location", "replay-nonce", "retry-after"],
  /** The longest time that any browser caches a preflight response. */
  maxAgeSeconds: 86_400,
} as const;
