import * as z from "zod";

/** A report of SNS about an endpoint of a platform application. */
export const endpointEvent = z.object({
  EventType: z.string(),
  EndpointArn: z.string(),
  FailureType: z.string().optional(),
  /** ISO 8601 */
  Time: z.string().optional(),
});
export type EndpointEvent = z.infer<typeof endpointEvent>;

/** Failures after which no push to the endpoint can succeed. */
const finalFailures = new Set(["InvalidPlatformToken", "DeliveryFailedPerm", "EndpointNotFound"]);

/**
 * The meaning of an event for the tokens of an endpoint: they are useless, or the endpoint must be checked. SNS reports
 * our own changes, too.
 */
export function verdictOf({ EventType, FailureType = "" }: EndpointEvent): "gone" | "changed" | "nothing" {
  if (EventType === "EndpointDeleted") return "gone";
  if (EventType === "EndpointUpdated") return "changed";
  if (EventType !== "DeliveryFailure") return "nothing";
  if (finalFailures.has(FailureType)) return "gone";
  return FailureType === "EndpointDisabled" ? "changed" : "nothing";
}
