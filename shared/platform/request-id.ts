import { currentScope, withScope } from "./scope.ts";

/**
 * Run a task on behalf of a request: lines of the log have its id, and so do messages that the task puts into the
 * outbox.
 * @param requestId as API Gateway created it; undefined for work that no request has caused
 */
export const onBehalfOf = <Result>(requestId: string | undefined, task: () => Result): Result =>
  withScope({ requestId }, task);

/** Id of the request on whose behalf something runs, if there is one. */
export const currentRequestId = (): string | undefined => currentScope().requestId;

/** The ids of the requests behind several things, each once. */
export const requestIdsOf = (items: Iterable<{ readonly requestId?: string | undefined }>): string[] => [
  ...new Set([...items].flatMap(({ requestId }) => requestId ?? [])),
];
