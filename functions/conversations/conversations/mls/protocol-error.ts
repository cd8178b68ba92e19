import { MalformedStructureError } from "#shared/devices/mls/tls-reader.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";

/** The error for data that are not valid MLS, with the reason. */
export const protocolError = (message: string, cause?: unknown) =>
  new ApiError("mls-protocol-error", { message, cause });

/** Decode MLS data from a client. @throws ApiError `mls-protocol-error` */
export function decoded<Structure>(decode: () => Structure): Structure {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof MalformedStructureError)) throw error;
    throw protocolError(`Invalid MLS data: ${error.message}`, error);
  }
}
