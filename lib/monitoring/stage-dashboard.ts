import { Duration } from "aws-cdk-lib";
import { Dashboard, GraphWidget, type Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { MetricName } from "#shared/platform/metrics.ts";
import { nudgeQueueOf, outboxQueues, type QueueName } from "#shared/registry/queues.ts";
import type { GatewayApi } from "../constructs/gateway-api.ts";
import type { ManifestFunction } from "../constructs/manifest-function.ts";
import type { SocketApi } from "../constructs/socket-api.ts";
import type { WorkerFunction } from "../constructs/worker-function.ts";
import type { WorkerQueue } from "../constructs/worker-queue.ts";
import type { StageAlarms } from "./stage-alarms.ts";
import type { WatchedRelays } from "./watch-relays.ts";

/** Everything that alarms and the dashboard watch. */
export interface Monitored {
  readonly queues: Readonly<Record<QueueName, WorkerQueue>>;
  readonly apis: readonly GatewayApi[];
  readonly socketApi: SocketApi | undefined;
  readonly relays: WatchedRelays | undefined;
  readonly familyFunctions: readonly ManifestFunction[];
  readonly workerFunctions: readonly WorkerFunction[];
}

/** One dashboard with the metrics behind the alarms of a stage. */
export function createDashboard(
  scope: Construct,
  alarms: StageAlarms,
  { queues, apis, socketApi, relays, familyFunctions, workerFunctions }: Monitored,
): void {
  const workerQueues = entriesOf(queues)
    .map(([name]) => name)
    .filter((name) => nudgeQueueOf(name) === name);
  const functions = [...familyFunctions, ...workerFunctions];
  const perFunction = (
    title: string,
    metric: (lambda: ManifestFunction["lambda"], label: string) => Metric,
  ) =>
    graph(
      title,
      functions.map(({ name, lambda }) => metric(lambda, name)),
    );
  new Dashboard(scope, "Dashboard", {
    widgets: [
      ...apis.map(({ audience, api }) => [
        graph(`${audience} API: requests and errors`, [
          api.metricCount({ label: "requests" }),
          api.metricClientError({ label: "4xx" }),
          api.metricServerError({ label: "5xx" }),
        ]),
        graph(`${audience} API: latency`, [
          api.metricLatency({ label: "p50", statistic: Stats.p(50) }),
          api.metricLatency({ label: "p99", statistic: Stats.p(99) }),
        ]),
      ]),
      ...(relays === undefined ? [] : relayGraphs(alarms, relays)),
      [
        ...(socketApi === undefined ? [] : [socketGraph(socketApi)]),
        graph("Events: milliseconds from commit to delivery", [
          alarms.ownMetric(
            "DeliveryMilliseconds",
            { queue: "events" },
            { label: "p50", statistic: Stats.p(50) },
          ),
          alarms.ownMetric(
            "DeliveryMilliseconds",
            { queue: "events" },
            { label: "p99", statistic: Stats.p(99) },
          ),
        ]),
      ],
      [
        useGraph("People: active, new, and refused", alarms, {
          ActiveUsers: "active for the first time on a day",
          MonthlyUsers: "active for the first time in a month",
          Registrations: "registrations",
          FailedLogins: "failed logins",
        }),
        useGraph("Messages", alarms, { Messages: "sent", Deliveries: "events delivered, by recipient" }),
      ],
      [
        perFunction("Functions: p99 duration", (lambda, label) =>
          lambda.metricDuration({ label, statistic: Stats.p(99) }),
        ),
        perFunction("Functions: errors", (lambda, label) => lambda.metricErrors({ label })),
      ],
      [
        perFunction("Functions: throttles", (lambda, label) => lambda.metricThrottles({ label })),
        graph(
          "Queues: waiting and dead messages",
          entriesOf(queues).flatMap(([name, { queue, deadLetters }]) => [
            queue.metricApproximateNumberOfMessagesVisible({ label: name }),
            deadLetters.metricApproximateNumberOfMessagesVisible({ label: `${name}, dead` }),
          ]),
        ),
      ],
      [
        graph(
          "Queues: age of the oldest message, seconds",
          entriesOf(queues).map(([name, { queue }]) =>
            queue.metricApproximateAgeOfOldestMessage({ label: name, statistic: Stats.MAXIMUM }),
          ),
        ),
        graph(
          "Outbox: age of the oldest message, seconds",
          outboxQueues.map((name) =>
            alarms.ownMetric(
              "OldestOutboxItemSeconds",
              { queue: name },
              { label: name, statistic: Stats.MAXIMUM },
            ),
          ),
        ),
      ],
      [
        graph(
          "Queues: messages that workers returned as failed",
          workerQueues.map((name) =>
            alarms.ownMetric("FailedItems", { queue: name }, { label: name, statistic: Stats.SUM }),
          ),
        ),
        graph("Posts to sockets and pushes to devices that failed", [
          alarms.ownMetric("FailedPosts", { queue: "events" }, { label: "posts", statistic: Stats.SUM }),
          alarms.ownMetric(
            "FailedPushes",
            { queue: "native-pushes" },
            { label: "pushes", statistic: Stats.SUM },
          ),
        ]),
      ],
    ],
  });
}

function socketGraph(socketApi: SocketApi) {
  return graph("Sockets: handshakes, messages and errors", [
    socketApi.metric("ConnectCount", { label: "handshakes", statistic: Stats.SUM }),
    socketApi.metric("MessageCount", { label: "messages, both ways", statistic: Stats.SUM }),
    socketApi.metric("ClientError", { label: "4xx", statistic: Stats.SUM }),
    socketApi.metric("ExecutionError", { label: "5xx", statistic: Stats.SUM }),
    socketApi.metric("IntegrationError", { label: "errors of the function", statistic: Stats.SUM }),
  ]);
}

function relayGraphs(alarms: StageAlarms, { balancer, relays: { service } }: WatchedRelays) {
  const relay = { service: "relay" } as const;
  const flows = balancer.balancer.metrics;
  return [
    [
      graph("Relays: open sockets per task", [
        alarms.ownMetric("OpenSockets", relay, { label: "average", statistic: Stats.AVERAGE }),
        alarms.ownMetric("OpenSockets", relay, { label: "highest", statistic: Stats.MAXIMUM }),
      ]),
      graph("Relays: milliseconds that frames waited", [
        alarms.ownMetric("FrameDelayMilliseconds", relay, { label: "p50", statistic: Stats.p(50) }),
        alarms.ownMetric("FrameDelayMilliseconds", relay, { label: "p99", statistic: Stats.p(99) }),
      ]),
    ],
    [
      graph("Relays: tasks, CPU and memory", [
        balancer.healthyRelays({ label: "healthy tasks", statistic: Stats.MAXIMUM }),
        service.metricCpuUtilization({ label: "CPU, %" }),
        service.metricMemoryUtilization({ label: "memory, %" }),
      ]),
      graph("Load balancer: connections", [
        flows.custom("ActiveFlowCount_TLS", { label: "open", statistic: Stats.AVERAGE }),
        flows.custom("NewFlowCount_TLS", { label: "new", statistic: Stats.SUM }),
        flows.custom("ClientTLSNegotiationErrorCount", { label: "TLS errors", statistic: Stats.SUM }),
        flows.custom("PortAllocationErrorCount", { label: "without a port", statistic: Stats.SUM }),
      ]),
    ],
  ];
}

const graph = (title: string, left: Metric[]) => new GraphWidget({ title, left, width: 12 });

/** Queues by name, in the order of the registry. */
export const entriesOf = (queues: Monitored["queues"]) =>
  Object.entries(queues) as [QueueName, WorkerQueue][];

/** Sums by day, which are the numbers of each day. */
const useGraph = (
  title: string,
  alarms: StageAlarms,
  labels: Readonly<Partial<Record<MetricName, string>>>,
) =>
  graph(
    title,
    (Object.entries(labels) as [MetricName, string][]).map(([name, label]) =>
      alarms.ownMetric(name, { usage: "all" }, { label, statistic: Stats.SUM, period: Duration.days(1) }),
    ),
  );
