/** What browser clients of the allowed origins may do; both wirings of the public API read it. */
export const cors = {
  /** By name: browsers take the wildcard literally where credentials are sent. */
  methods: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
  headers: ["authorization", "content-encoding", "content-type"],
  /** The longest that any browser keeps a preflight answer. */
  maxAgeSeconds: 86_400,
} as const;
