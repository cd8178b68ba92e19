import { ApiError } from "#shared/platform/http/api-error.ts";
import type { TokenRequest } from "./schemas.ts";

/** A request whose `client_id` and `client_secret` may have come by HTTP Basic. */
export type AuthenticatedRequest = TokenRequest & { readonly client_id: string };

/** Read a field that the grant type of the request requires. @throws ApiError `bad-request` if it is missing */
export function required(request: TokenRequest, field: keyof TokenRequest): string {
  const value = request[field];
  if (value === undefined) throw badRequest(`${field}: required for this grant type`);
  return value;
}

export const badRequest = (problem: string) => new ApiError("bad-request", { message: `body.${problem}` });
