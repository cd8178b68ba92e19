import { assumptions, type Load, monthlyOf, tasksFor } from "./load.ts";

/** A quota of an account and region, with the default that AWS documents. */
export interface QuotaUse {
  readonly quota: string;
  readonly default: number;
  /** Usage at the busiest time of the day. */
  readonly needed: number;
}

/** The usage of a load, for each quota that can be raised. */
export function quotasOf(load: Load): QuotaUse[] {
  const { peak, daysPerMonth, socket, message, other, relay, socketMinutes, pingSeconds } = assumptions;
  const monthly = monthlyOf(load);
  const seconds = Math.max(1, load.hours) * 3600 * daysPerMonth;
  const perSecond = (count: number) => (peak * count) / seconds;
  const requests = perSecond(monthly.requests);
  const frames = perSecond(monthly.frames);
  const isRelay = load.sockets === "relay";
  const tasks = isRelay ? tasksFor(load.users) : 0;
  const gatewayFrames = isRelay ? 0 : load.users / pingSeconds + frames;
  const deliveryRuns = perSecond(monthly.messages) * Math.ceil((load.group - 1) / 10);
  return [
    {
      quota: "API Gateway: requests a second of all APIs",
      default: 10_000,
      needed: requests + gatewayFrames,
    },
    {
      quota: "Lambda: concurrent executions",
      default: 1000,
      needed:
        (requests * other.milliseconds +
          (perSecond(monthly.messages) + deliveryRuns) * (message.milliseconds / 3)) /
        1000,
    },
    {
      quota: "DynamoDB: write units a second of the table notifications",
      default: 40_000,
      needed: frames,
    },
    {
      quota: "DynamoDB: read units a second of the table sockets",
      default: 40_000,
      needed: 2 * frames,
    },
    ...(isRelay
      ? [
          {
            quota:
              "DynamoDB: write units a second of the table sockets, while a deployment replaces all relays",
            default: 40_000,
            needed: (load.users / relay.drainSeconds) * socket.writeUnits,
          },
          {
            quota: "Fargate: vCPU, while a deployment replaces all relays",
            default: 6,
            needed: 2 * tasks * relay.cores,
          },
          {
            quota: "Network Load Balancer: targets with cross-zone balancing, meanwhile",
            default: 500,
            needed: 2 * tasks,
          },
        ]
      : [
          {
            quota: "API Gateway: new WebSocket connections a second",
            default: 500,
            needed: load.users / (60 * socketMinutes),
          },
        ]),
  ];
}
