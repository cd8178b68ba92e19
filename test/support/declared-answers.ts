import { families } from "#functions/families.ts";
import type { Route } from "#shared/platform/http/route.ts";
import { errorCatalogue } from "#shared/registry/errors.ts";

/**
 * The statuses that each operation declares, without the errors that its row implies: the tests of the contract ask every
 * row for those.
 */
export const declaredAnswers = (): [operationId: string, statuses: readonly number[]][] =>
  families.flatMap(({ routes }) =>
    Object.entries<Route>(routes).map(([id, { responses, errors }]): [string, number[]] => [
      id,
      [
        ...new Set([
          ...Object.keys(responses).map(Number),
          ...errors.map((name) => errorCatalogue[name].status),
        ]),
      ],
    ]),
  );
