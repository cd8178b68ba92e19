import { expect, it } from "vitest";
import type * as z from "zod";
import { parseBody } from "#shared/platform/http/parse-body.ts";
import { readBody } from "#shared/platform/http/read-body.ts";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import { bodyExamples } from "../support/body-examples.ts";
import { operations } from "../support/contract.ts";

/** People first send the example that "Try it out" fills in, so each operation must understand it. */

const form = "application/x-www-form-urlencoded";
/**
 * Nobody fills in forms of pages elsewhere, because they contain hidden tokens; nobody writes protobuf or MLS by hand.
 */
const filledIn = bodyExamples().filter(({ operationId, type }) =>
  type === form
    ? operationId === "create-oauth-access-token"
    : !["application/x-protobuf", "message/mls"].includes(type),
);

it("the API document has an example for each body that people write", () => {
  expect(filledIn.length).toBeGreaterThan(100);
  expect(filledIn.filter(({ example }) => example === undefined)).toEqual([]);
});

it("the examples are understood by their operations", () => {
  const refused = filledIn.flatMap(({ operationId, type, example }) => {
    const route = operations[operationId];
    if (route === undefined) return [`${operationId} does not exist`];
    if (route.bodyFormat === "multipart-mixed") return [];
    const body =
      type === form
        ? new URLSearchParams(example as Record<string, string>).toString()
        : JSON.stringify(example);
    const event = { body, headers: { "content-type": type }, isBase64Encoded: false } as unknown as HttpEvent;
    const { error } = parseBody(route.body as z.ZodType, readBody(event, route));
    return error === undefined ? [] : [`${operationId}: ${error.issues[0]?.message}`];
  });
  expect(refused).toEqual([]);
});
