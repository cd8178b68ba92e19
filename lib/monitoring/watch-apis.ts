import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { GatewayApi } from "../constructs/gateway-api.ts";
import type { SocketApi } from "../constructs/socket-api.ts";
import { failureShare } from "./failure-share.ts";
import type { StageAlarms } from "./stage-alarms.ts";

const sum = { statistic: Stats.SUM };

/** Failures within five minutes that are more than one unlucky request. */
const failureFloor = 5;
/** Percentage of failing requests: failures of AWS itself stay far below it, and a broken operation soon exceeds it. */
const failurePercent = 0.5;

/** Refusals within five minutes that are more than one client that ignores `Retry-After`. */
const refusalFloor = 50;
const refusalPercent = 5;

/** Alarms on an HTTP API. */
export function watchApi(alarms: StageAlarms, { audience, api, tooManyRequests }: GatewayApi): void {
  const requests = api.metricCount(sum);
  alarms.add({
    id: `${audience}-api-server-errors`,
    // An answer that reports a feature as switched off is no fault.
    metric: failureShare({
      usingMetrics: {
        requests,
        errors: api.metricServerError(sum),
        deliberate: alarms.ownMetric("DeliberateServerErrors", { audience }, sum),
      },
      failures: "errors - FILL(deliberate, 0)",
      all: "requests",
      floor: failureFloor,
    }),
    threshold: failurePercent,
    description: `Requests to the ${audience} API fail with a status of 500 or above.`,
  });
  alarms.add({
    id: `${audience}-api-too-many-requests`,
    metric: failureShare({
      usingMetrics: { requests, refused: tooManyRequests },
      failures: "FILL(refused, 0)",
      all: "requests",
      floor: refusalFloor,
    }),
    threshold: refusalPercent,
    description: `Many requests to the ${audience} API are refused with 429.`,
  });
}

/**
 * Alarm on the WebSocket API. The API's own count of integration errors includes handshakes that are refused on
 * purpose, and nearly all of its messages are pings, which reach no function. So the function counts failures, which
 * are compared with the events that reach it.
 */
export function watchSocketApi(
  alarms: StageAlarms,
  { socketApi, lambda }: { socketApi: SocketApi; lambda: IFunction },
): void {
  alarms.add({
    id: "socket-api-server-errors",
    metric: failureShare({
      usingMetrics: {
        failed: alarms.ownMetric("FailedSocketRequests", { audience: "public" }, sum),
        uncalled: socketApi.metric("ExecutionError", sum),
        crashes: lambda.metricErrors(sum),
        calls: lambda.metricInvocations(sum),
      },
      failures: "FILL(failed, 0) + FILL(uncalled, 0) + FILL(crashes, 0)",
      all: "FILL(calls, 0) + FILL(uncalled, 0)",
      floor: failureFloor,
    }),
    threshold: failurePercent,
    description: "Handshakes and acknowledgements of sockets fail, or do not reach their function.",
  });
}
