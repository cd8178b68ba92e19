import { Duration } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type IFilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { metricNamespace } from "#shared/platform/metrics.ts";
import type { RelayBalancer } from "../constructs/relay-balancer.ts";
import type { RelayService } from "../constructs/relay-service.ts";
import { maxSockets } from "../relay/limits.ts";
import type { Stage } from "../stage.ts";
import type { StageAlarms } from "./stage-alarms.ts";

/** Lines within five minutes that are more than one unlucky frame. */
const errorThreshold = 5;

/** Log lines of relays that count as errors, and the one by which a relay reports that another one has died. */
const relayErrors = FilterPattern.stringValue("$.level", "=", "ERROR");
const relayDeaths = FilterPattern.stringValue("$.message", "=", "dead-relay-removed");

/** Frames should reach a relay within a tenth of this time. */
const longestFrameDelayMilliseconds = 2000;

const highestInFiveMinutes = { period: Duration.minutes(5), statistic: Stats.MAXIMUM };

/** Relays, with their load balancer and queues. */
export interface WatchedRelays {
  readonly balancer: RelayBalancer;
  readonly relays: RelayService;
}

/** Alarms on the relays of a stage. */
export function watchRelays(
  alarms: StageAlarms,
  { stage, relays: stack }: { stage: Stage; relays: WatchedRelays },
  scope: Construct,
): void {
  const {
    balancer,
    relays: { service, logGroup },
  } = stack;
  const { minTasks = 1, maxTasks = 1 } = stage.sockets.relay ?? {};
  const relay = { service: "relay" } as const;
  const inLog = (id: string, filterPattern: IFilterPattern) =>
    new MetricFilter(scope, id, {
      logGroup,
      filterPattern,
      metricNamespace: `${metricNamespace}/${stage.name}`,
      metricName: id,
    }).metric({ statistic: Stats.SUM });
  alarms.add({
    id: "relay-tasks-missing",
    metric: balancer.healthyRelays(highestInFiveMinutes),
    threshold: minTasks,
    firesBelow: true,
    withoutData: "fires",
    description: `For five minutes, fewer than ${minTasks} relays take sockets.`,
  });
  alarms.add({
    id: "relay-cpu",
    metric: service.metricCpuUtilization({ period: Duration.minutes(5) }),
    threshold: 80,
    description: "The relays use most of their CPU: frames and handshakes wait.",
  });
  alarms.add({
    id: "relay-memory",
    metric: service.metricMemoryUtilization(highestInFiveMinutes),
    threshold: 85,
    description: "A relay uses most of its memory; without more, it dies with all of its sockets.",
  });
  alarms.add({
    id: "relay-frame-delay",
    metric: alarms.ownMetric("FrameDelayMilliseconds", relay, { period: Duration.minutes(5) }),
    threshold: longestFrameDelayMilliseconds,
    description: "Frames wait for seconds in the queues of the relays.",
  });
  alarms.add({
    id: "relay-sockets",
    metric: alarms.ownMetric("OpenSockets", relay, highestInFiveMinutes),
    threshold: 0.9 * maxSockets,
    description: `A relay has nearly as many sockets as it takes, ${maxSockets}.`,
  });
  // A fixed number of tasks has no limit to approach.
  if (maxTasks > minTasks) {
    alarms.add({
      id: "relay-tasks-at-most",
      metric: balancer.healthyRelays({ period: Duration.minutes(15), statistic: Stats.MINIMUM }),
      threshold: maxTasks,
      description: `There are as many relays as the stage allows, ${maxTasks}: no more will be added.`,
    });
  }
  alarms.add({
    id: "relay-errors",
    metric: inLog("RelayErrors", relayErrors),
    threshold: errorThreshold,
    description: "Relays log errors: handshakes or frames fail, or a queue or table is out of reach.",
  });
  alarms.add({
    id: "relay-died",
    metric: inLog("RelayDeaths", relayDeaths),
    threshold: 1,
    description: "A relay has died without draining; another one has removed what it left.",
  });
}
