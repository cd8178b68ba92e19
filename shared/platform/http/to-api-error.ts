import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { isThrottlingError, isTransientError } from "@smithy/core/retry";
import { ConflictError, ThrottledError } from "../data/store-errors.ts";
import { UnreadableItemError } from "../data/unreadable-item.ts";
import { MessageTooLargeError } from "../messaging/message-too-large-error.ts";
import { RateLimitedError } from "../rate-limit/token-bucket.ts";
import { ApiError } from "./api-error.ts";

/** Functions of a busy stage become free within seconds. */
const retryAfterSeconds = 5;

/** Another version may be able to read the item: a deployment or a rollback takes minutes. */
const retryUnreadableAfterSeconds = 60;

/**
 * Maps any error to one of the catalogue. Conflicts, rate limits, events that are too large, items that cannot be read,
 * and time-outs and other temporary failures, all of which every operation can meet, are mapped here; anything else
 * that is not from the catalogue is a `server-error`.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // A single write that met transactions on its item in all attempts of the SDK.
  if (error instanceof ConflictError || error instanceof TransactionConflictException)
    return new ApiError("concurrent-change", { cause: error });
  if (error instanceof RateLimitedError) {
    const { retryAfterSeconds } = error;
    return new ApiError("too-many-requests", { retryAfterSeconds, cause: error });
  }
  if (error instanceof MessageTooLargeError) return new ApiError("body-too-large", { cause: error });
  if (error instanceof UnreadableItemError)
    return new ApiError("service-unavailable", {
      retryAfterSeconds: retryUnreadableAfterSeconds,
      cause: error,
    });
  if (error instanceof Error && passes(error as Parameters<typeof passes>[0]))
    return new ApiError("service-unavailable", { retryAfterSeconds, cause: error });
  return new ApiError("server-error", { cause: error });
}

/**
 * Whether the same request may succeed soon: the function ran out of time, or a service of AWS was throttled, failed or
 * could not be reached in all attempts of the SDK.
 */
const passes = (error: Error & Parameters<typeof isTransientError>[0]) =>
  error instanceof ThrottledError || isThrottlingError(error) || isTransientError(error);
