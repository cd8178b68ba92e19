import { ApiError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import { handleIdentity, type Identity } from "./identity.ts";

/** 2–256 characters, lower case only (spec heading User account). */
export const handlePattern = /^[a-z0-9_.-]{2,256}$/;

/** Whether a text may become somebody's handle: its syntax is right, and it is not reserved. */
export const isUsableHandle = (text: string, settings: Settings): boolean =>
  handlePattern.test(text) && text !== settings.vendor && !settings.setReservedHandles.includes(text);

/** The identity of a handle that may be taken. @throws ApiError `invalid-handle` for wrong syntax and reserved words */
export function parseHandle(text: string, settings: Settings): Identity {
  if (!isUsableHandle(text, settings)) throw new ApiError("invalid-handle");
  return handleIdentity(text);
}
