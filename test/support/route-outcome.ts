import { scimErrorLabel } from "#shared/registry/errors/provisioning.ts";
import { type ApiAnswer, outcome } from "./api.ts";

export const badRequest = "400 bad-request";
export const unauthorized = "401 unauthorized";
export const accessDenied = "403 access-denied";
export const tooLarge = "413 request-too-large";
export const wrongType = "415 unsupported-media-type";

/** SCIM errors have one label, so their status alone says what was wrong. */
const outcomesByStatus = new Map(
  [badRequest, unauthorized, tooLarge, wrongType].map((one) => [Number.parseInt(one, 10), one]),
);

/** Status and label of an answer in whichever format an operation renders its errors. */
export function routeOutcome(answer: Pick<ApiAnswer, "status" | "body">): string {
  const { status, body } = answer;
  if (Object(body).label === scimErrorLabel) return outcomesByStatus.get(status) ?? outcome(answer);
  // Result pages of single sign-on have the label in their title.
  const onPage = typeof body === "string" ? /<title>\w+:sso:error:([\w-]+)</.exec(body)?.[1] : undefined;
  return onPage === undefined ? outcome(answer) : `${status} ${onPage}`;
}
