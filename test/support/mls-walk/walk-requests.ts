import { type Api, type ApiAnswer, api, outcome } from "../api.ts";

/** Totals of all walks so far. */
export const counts = { requests: 0, steps: 0, outcomes: new Map<string, number>() };

/** Counts what it sends. */
export const countingApi: Api = (...request) => {
  counts.requests++;
  return api(...request);
};

/** Whether somebody else, or the service, was faster. */
export const isOvertaken = (answer: ApiAnswer) =>
  /mls-stale-message|mls-commit-missing-references|mls-proposal-not-found|concurrent-change/.test(
    outcome(answer),
  );

/** The expected kind of an answer. */
export type Expectation = "accepted" | "accepted unless proposals are in the way" | "refused" | "either";

/** Whether an answer reports a change: 204 says that there was nothing to change. */
const isChange = ({ status }: ApiAnswer): boolean => status < 300 && status !== 204;

/** Counts an answer. @throws Error unless it is as expected */
export function expectOutcome(answer: ApiAnswer, expectation: Expectation, what: string): void {
  const name = `${what.replace(/ of [A-Z].*/, "")}: ${outcome(answer)}`;
  counts.outcomes.set(name, (counts.outcomes.get(name) ?? 0) + 1);
  const isAccepted = answer.status < 300;
  const isWrong =
    answer.status >= 500 ||
    (expectation === "refused" ? isChange(answer) : !isAccepted && expectation !== "either");
  if (isWrong)
    throw new Error(
      `${what} should be ${expectation}, but was ${outcome(answer)} ${answer.body.message ?? ""}`,
    );
}
