import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { ConflictError } from "../data/conflict-error.ts";
import { MessageTooLargeError } from "../messaging/message-too-large-error.ts";
import { RateLimitedError } from "../rate-limit/token-bucket.ts";
import { ApiError } from "./api-error.ts";

/**
 * Maps any error to one of the catalogue. Conflicts, rate limits and events that are too large, which every operation
 * can meet, are mapped here; anything else that is not from the catalogue is a `server-error`.
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
  return new ApiError("server-error", { cause: error });
}
