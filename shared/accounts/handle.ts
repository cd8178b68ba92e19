import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { handleIdentity, type Identity } from "./identity.ts";

/** 2–256 characters, lower case only. */
export const handlePattern = /^[a-z0-9_.-]{2,256}$/;

/**
 * Whether a text can become a handle: its syntax is right, it has a letter or digit (nobody could read `-.` aloud, and
 * clients drop `..` from paths), and it is not reserved.
 */
export const isUsableHandle = (text: string, settings: Settings): boolean =>
  handlePattern.test(text) &&
  /[a-z0-9]/.test(text) &&
  text !== settings.vendor &&
  !settings.setReservedHandles.includes(text);

/** Parses a handle that somebody wants to take. @throws ApiError `invalid-handle` also for reserved words */
export function parseHandle(text: string, settings: Settings): Identity {
  if (!isUsableHandle(text, settings)) throw new ApiError("invalid-handle");
  return handleIdentity(text);
}
