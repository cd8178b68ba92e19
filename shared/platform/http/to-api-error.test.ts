import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { StaleReadError } from "../data/conditions.ts";
import { ConflictError, ThrottledError } from "../data/store-errors.ts";
import { UnreadableItemError } from "../data/unreadable-item.ts";
import { RateLimitedError } from "../rate-limit/token-bucket.ts";
import { answer } from "./answer.ts";
import { ApiError } from "./api-error.ts";
import { toApiError } from "./to-api-error.ts";

/** An error as the SDK throws it. */
const fault = (name: string, httpStatusCode: number) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });

describe("the answer to an error", () => {
  it.each([
    [new ConflictError("transaction"), "concurrent-change", {}],
    [new StaleReadError("item"), "concurrent-change", {}],
    [new TransactionConflictException({ $metadata: {}, message: "write" }), "concurrent-change", {}],
    [new RateLimitedError(1.5), "too-many-requests", { "retry-after": "2" }],
    [new ThrottledError("keys unread"), "service-unavailable", { "retry-after": "5" }],
    [
      new UnreadableItemError({ table: "accounts", kind: "account" }, ["name"]),
      "service-unavailable",
      { "retry-after": "60" },
    ],
    [fault("ProvisionedThroughputExceededException", 400), "service-unavailable", { "retry-after": "5" }],
    [fault("InternalServerError", 500), "service-unavailable", { "retry-after": "5" }],
    [fault("AccessDeniedException", 400), "server-error", {}],
    [Object.assign(new Error(), { code: "ECONNREFUSED" }), "service-unavailable", { "retry-after": "5" }],
    [new DOMException("late", "TimeoutError"), "service-unavailable", { "retry-after": "5" }],
    [new TypeError("our fault"), "server-error", {}],
  ])("%s is %s", (error, name, headers) => {
    expect(toApiError(error)).toMatchObject({ error: name, headers, cause: error });
  });

  it("is the error itself when it is from the catalogue", () => {
    const error = new ApiError("not-found");
    expect(toApiError(error)).toBe(error);
  });
});

class DomainError extends Error {}

describe("answer", () => {
  it("replaces the named error and its subclasses", async () => {
    class Special extends DomainError {}
    const details = ({ message }: DomainError) => ({ message });
    const refused = Promise.reject(new Special("why")).catch(answer(DomainError, "not-found", details));
    await expect(refused).rejects.toMatchObject({
      error: "not-found",
      message: "why",
      cause: expect.any(Special),
    });
  });

  it("leaves others alone", async () => {
    const other = new TypeError("other");
    await expect(Promise.reject(other).catch(answer(DomainError, "not-found"))).rejects.toBe(other);
  });
});
