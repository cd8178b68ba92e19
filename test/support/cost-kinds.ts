/** The costs of tests, by kind. */
export interface Costs {
  /** Stacks with tables and queues of their own. */
  stacks: number;
  /** Functions of the shared stack with other settings, or another clock. */
  variants: number;
  /** Requests to functions without HTTP. */
  directRequests: number;
  /** Requests to servers of the test's thread, which the gateways are. */
  httpRequests: number;
  awsCalls: number;
  /** Opened in a browser. */
  pages: number;
}

/** The kinds of costs. */
export const kindsOfCosts = [
  "stacks",
  "variants",
  "directRequests",
  "httpRequests",
  "awsCalls",
  "pages",
] as const satisfies (keyof Costs)[];
