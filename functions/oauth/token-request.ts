import { ApiError } from "#shared/errors.ts";
import type { TokenRequest } from "./schemas.ts";

/** A field that only some grant types have. @throws ApiError `bad-request` */
export function required(request: TokenRequest, field: keyof TokenRequest): string {
  const value = request[field];
  if (value === undefined) throw badRequest(`${field}: required for this grant type`);
  return value;
}

export const badRequest = (problem: string) => new ApiError("bad-request", { message: `body.${problem}` });
