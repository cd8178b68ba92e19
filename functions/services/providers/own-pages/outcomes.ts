import type { ProviderProblem } from "#shared/services/provider-pages/attempt-as-provider.ts";

/** What a form has done. */
const done = [
  "saved",
  "email-sent",
  "password-changed",
  "logged-out",
  "deleted",
  "registered",
  "reset-sent",
] as const;
type Done = (typeof done)[number];

/** Why a form has done nothing. */
const problems = [
  "wrong-login",
  "unknown-email",
  "invalid-fields",
  "short-password",
  "session-ended",
  "invalid-email",
  "email-exists",
  "wrong-password",
  "same-password",
  "too-many-attempts",
  "code-pending",
] as const;
type Problem = (typeof problems)[number];

export type Outcome = Done | Problem;

export const isDone = (outcome: string): outcome is Done => (done as readonly string[]).includes(outcome);
const isOutcome = (text: string): text is Outcome =>
  isDone(text) || (problems as readonly string[]).includes(text);

/** A problem that one of these pages can have; the others are those of services. */
export const asOutcome = (problem: ProviderProblem): Problem =>
  problem === "invalid-key" || problem === "too-many-services" ? "invalid-fields" : problem;

/** Read the outcome of the last form from an address; other texts there are ignored. */
export const readOutcome = (text: string | undefined): Outcome | undefined =>
  text !== undefined && isOutcome(text) ? text : undefined;
