/** What a form has done. */
const done = [
  "name-changed",
  "handle-changed",
  "language-changed",
  "password-changed",
  "session-ended",
  "logged-out",
  "logged-out-everywhere",
  "app-revoked",
  "deleted",
] as const;
export type Done = (typeof done)[number];

/** Why a form has done nothing. */
const problems = [
  "wrong-password",
  "too-many-attempts",
  "managed",
  "invalid-name",
  "invalid-handle",
  "handle-taken",
  "short-password",
  "same-password",
  "no-choice",
  "team-owner",
  "again",
] as const;
export type Problem = (typeof problems)[number];

export type Outcome = Done | Problem;

export const isDone = (outcome: string): outcome is Done => (done as readonly string[]).includes(outcome);
export const isOutcome = (text: string): text is Outcome =>
  isDone(text) || (problems as readonly string[]).includes(text);
