/** What browser clients of the allowed origins may do; both wirings of the public API read it. */
export const cors = {
  /** By name: browsers take the wildcard literally where credentials are sent. */
  methods: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
  headers: ["authorization", "content-encoding", "content-type", "dpop"],
  /** Headers of answers that pages may read beside the few that they always may. */
  exposedHeaders: ["location", "replay-nonce", "retry-after"],
  /** The longest that any browser keeps a preflight answer. */
  maxAgeSeconds: 86_400,
} as const;
