import type { Settings } from "#shared/registry/settings.ts";

/** CORS rules for pages of the allowed origins, read by both wirings of the public API. */
export const cors = {
  /** Listed by name: browsers take a wildcard literally in requests with credentials. */
  methods: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
  /** Response headers that pages may read in addition to the few that they always may. */
  exposedHeaders: ["location", "replay-nonce", "retry-after", "x-request-id"],
  /** The longest time that any browser caches a preflight response. */
  maxAgeSeconds: 86_400,
} as const;

/**
 * Request headers that pages may send to an HTTP API, which only accepts a list: those of our operations and of the
 * clients, and those that browsers, their extensions and HTTP libraries add. A distribution and the local gateway need
 * no list: they allow the headers that a page asks for.
 */
export const requestHeaders = ({
  vendor,
  corsAllowedHeaders,
}: Pick<Settings, "vendor" | "corsAllowedHeaders">): string[] => [
  ...new Set([
    ...["asset-token", "authorization", "dpop"],
    ...[`${vendor}-client`, `${vendor}-client-version`],
    ...["baggage", "request-id", "traceparent", "tracestate", "x-request-id"],
    ...["accept", "accept-language", "content-encoding", "content-language", "content-md5", "content-type"],
    ...[
      "cache-control",
      "if-match",
      "if-modified-since",
      "if-none-match",
      "if-unmodified-since",
      "pragma",
      "range",
    ],
    ...["dnt", "keep-alive", "user-agent", "x-mx-reqtoken", "x-requested-with", "x-xsrf-token"],
    ...corsAllowedHeaders,
  ]),
];

/** Headers of the answer to any preflight, apart from the origin and the headers that the page asks for. */
export const preflightHeaders = {
  "access-control-allow-credentials": "true",
  "access-control-allow-methods": cors.methods.join(","),
  "access-control-max-age": String(cors.maxAgeSeconds),
  vary: "origin",
} as const;
