import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { parseBody } from "#shared/platform/http/parse-body.ts";
import type { Route } from "#shared/platform/http/route.ts";
import { operations } from "../support/contract.ts";
import { refusedBodies } from "./refused-input/bodies.ts";
import { refusedParameters } from "./refused-input/parameters.ts";
import { refusedQueries } from "./refused-input/queries.ts";

/** Values that the schemas of operations refuse, and the largest that they accept. */

/** The rows of `METHOD /path` in all versions, or the one with an id. */
function rowsOf(operation: string): Route[] {
  const rows = Object.entries(operations).filter(
    ([id, { method, path }]) => id === operation || `${method} ${path}` === operation,
  );
  return rows.map(([, row]) => row);
}

/** Checks which values the schemas of an operation take; a failure names those that are not as expected. */
function expectTaken<Value>(
  operation: string,
  values: readonly Value[],
  { takes, isTaken }: { takes: (row: Route, value: Value) => boolean; isTaken: boolean },
): void {
  const rows = rowsOf(operation);
  expect(rows.length).toBeGreaterThan(0);
  const wrong = values.filter((value) => rows.some((row) => takes(row, value) !== isTaken));
  expect(wrong.map((value) => JSON.stringify(value).slice(0, 100))).toEqual([]);
}

const takesBody = ({ body }: Route, value: unknown) => parseBody(body as z.ZodType, value).success;
const takesQuery = ({ query }: Route, text: string) =>
  query?.safeParse(Object.fromEntries(new URLSearchParams(text))).success ?? true;
const takesParams = ({ params }: Route, values: Readonly<Record<string, string>>) =>
  params?.safeParse(values).success ?? true;

describe("the body of", () => {
  it.each(Object.entries(refusedBodies))("%s is refused", (operation, { refused, taken = [] }) => {
    expectTaken(operation, refused, { takes: takesBody, isTaken: false });
    expectTaken(operation, taken, { takes: takesBody, isTaken: true });
  });
});

describe("the query of", () => {
  it.each(Object.entries(refusedQueries))("%s is refused", (operation, { refused, taken = [] }) => {
    expectTaken(operation, refused, { takes: takesQuery, isTaken: false });
    expectTaken(operation, taken, { takes: takesQuery, isTaken: true });
  });
});

describe("the path of", () => {
  it.each(Object.entries(refusedParameters))("%s is refused", (operation, { refused, taken = [] }) => {
    expectTaken(operation, refused, { takes: takesParams, isTaken: false });
    expectTaken(operation, taken, { takes: takesParams, isTaken: true });
  });
});
