import { subscribe } from "node:diagnostics_channel";
import { afterAll } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import type { Costs } from "./cost-kinds.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The costs of a test file. */
    costs?: Costs;
  }
}

const none = (): Costs => ({
  stacks: 0,
  variants: 0,
  directRequests: 0,
  httpRequests: 0,
  awsCalls: 0,
  pages: 0,
});

let current = none();

/** Note that the tests of this thread cost something. */
export function count(kind: keyof Costs): void {
  current[kind]++;
}

let isCounting = false;

/** Count what each test file of this thread costs, for the end of the run. */
export function countCosts(): void {
  if (!isCounting) {
    isCounting = true;
    subscribe("http.server.request.start", () => count("httpRequests"));
    interceptAwsCalls((_, send) => {
      count("awsCalls");
      return send();
    });
  }
  // biome-ignore lint/correctness/noEmptyPattern: vitest accepts no other first parameter
  afterAll(({}, file) => {
    file.meta.costs = current;
    current = none();
  });
}
