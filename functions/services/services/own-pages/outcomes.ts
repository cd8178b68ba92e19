import type { ProviderProblem } from "#shared/services/provider-pages/attempt-as-provider.ts";

/** What a form has done. */
const done = ["created", "saved", "deleted"] as const;
type Done = (typeof done)[number];

/** Why a form has done nothing. */
const problems = [
  "invalid-fields",
  "invalid-address",
  "invalid-key",
  "invalid-token",
  "wrong-password",
  "too-many-attempts",
  "too-many-services",
] as const;
export type Problem = (typeof problems)[number];

export type Outcome = Done | Problem;

export const isDone = (outcome: string): outcome is Done => (done as readonly string[]).includes(outcome);
const isProblem = (text: string): text is Problem => (problems as readonly string[]).includes(text);
const isOutcome = (text: string): text is Outcome => isDone(text) || isProblem(text);

/** A problem that one of these pages can have; the others are those of accounts. */
export const asProblem = (problem: ProviderProblem): Problem =>
  isProblem(problem) ? problem : "invalid-fields";

/** Read the outcome of the last form from an address; other texts there are ignored. */
export const readOutcome = (text: string | undefined): Outcome | undefined =>
  text !== undefined && isOutcome(text) ? text : undefined;
