import { type AwsCall, awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";

export type { AwsCall };

/**
 * What happens to a call instead:
 * - `throttled`, `failed`: answered with an error, without effect; the SDK retries
 * - `answer-lost`: takes effect, but fails; the SDK retries
 * - `dies-before`, `dies-after`: as if the process had died before or after the call; the SDK does not retry
 * - `ignored`: answered as if it had taken effect
 */
export type Fault = "throttled" | "failed" | "answer-lost" | "dies-before" | "dies-after" | "ignored";

/** Make calls of any SDK client in this thread fail. @returns a function that ends the faults */
export const injectFaults = (choose: (call: AwsCall) => Fault | undefined): (() => void) =>
  interceptAwsCalls(async (call, send) => {
    const fault = choose(call);
    if (fault === undefined) return send();
    if (fault === "answer-lost" || fault === "dies-after") (await send()).response.body.resume();
    switch (fault) {
      case "throttled":
        return awsAnswer(400, { __type: "ProvisionedThroughputExceededException" });
      case "failed":
      case "answer-lost":
        return awsAnswer(500, { __type: "InternalServerError" });
      case "ignored":
        return awsAnswer(200, {});
      default:
        throw new Error(`The process dies in ${call.action}`);
    }
  });
