import { Duration, Stack, type StackProps } from "aws-cdk-lib";
import {
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  MathExpression,
  type Metric,
  type MetricOptions,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type IFilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";
import { type MetricName, type MetricSubject, metricNamespace } from "#shared/platform/metrics.ts";
import { outboxQueues, type QueueName } from "#shared/registry/queues.ts";
import { canaryAlarm } from "../canary-alarm.ts";
import type { GatewayApi } from "../constructs/gateway-api.ts";
import type { ManifestFunction } from "../constructs/manifest-function.ts";
import { ownMetric } from "../constructs/own-metric.ts";
import type { SocketApi } from "../constructs/socket-api.ts";
import type { WorkerFunction } from "../constructs/worker-function.ts";
import type { WorkerQueue } from "../constructs/worker-queue.ts";
import { alarmName } from "../guarded-deployment.ts";
import { monthlyBudget } from "../monthly-budget.ts";
import { maxSockets } from "../relay/limits.ts";
import type { Stage } from "../stage.ts";
import type { RelayStack } from "./relay-stack.ts";

interface MonitoringStackProps extends StackProps {
  readonly stage: Stage;
  readonly queues: Readonly<Record<QueueName, WorkerQueue>>;
  readonly apis: readonly GatewayApi[];
  readonly socketApi: SocketApi | undefined;
  readonly relays: RelayStack | undefined;
  readonly familyFunctions: readonly ManifestFunction[];
  readonly workerFunctions: readonly WorkerFunction[];
}

interface AlarmPlan {
  readonly id: string;
  readonly metric: Metric | MathExpression;
  /** The alarm fires at this value and above, or below it. */
  readonly threshold: number;
  readonly firesBelow?: boolean;
  /** Whether it also fires when there is no data: for what something must report again and again. */
  readonly firesWithoutData?: boolean;
  readonly description: string;
}

/** This many server errors within five minutes are more than one unlucky request. */
const serverErrorThreshold = 5;

/** So many flooded sockets within five minutes are no accident of one client. */
const floodThreshold = 5;

/** A message should have been handled long before this time, even with several attempts. */
const longestWaitSeconds = 300;

/** Log lines of relays that count as errors, and the one by which a relay reports that another one has died. */
const relayErrors = FilterPattern.stringValue("$.level", "=", "ERROR");
const relayDeaths = FilterPattern.stringValue("$.message", "=", "dead-relay-removed");

/** Frames should reach a relay within a tenth of this time. */
const longestFrameDelayMilliseconds = 2000;

const byMinute = { period: Duration.minutes(1) };
const highestInFiveMinutes = { period: Duration.minutes(5), statistic: Stats.MAXIMUM };
const highestByMinute = { ...byMinute, statistic: Stats.MAXIMUM };

/** Alarms for faults that would otherwise go unnoticed, and one dashboard. */
export class MonitoringStack extends Stack {
  readonly #stage: Stage;
  readonly #alarmTopic: ITopic | undefined;

  constructor(scope: Construct, id: string, { stage, ...props }: MonitoringStackProps) {
    super(scope, id, props);
    this.#stage = stage;
    this.#alarmTopic = stage.alarmEmail === undefined ? undefined : this.#createTopic(stage.alarmEmail);

    for (const [name, queue] of entriesOf(props.queues)) this.#watchQueue(name, queue);
    for (const { audience, api } of props.apis) {
      this.#addAlarm({
        id: `${audience}-api-server-errors`,
        metric: this.#faultsOf(audience, api),
        threshold: serverErrorThreshold,
        description: `Requests to the ${audience} API fail with a status of 500 or above.`,
      });
    }
    for (const { name, lambda, interval } of props.workerFunctions) {
      if (interval !== undefined) this.#watchSchedule(name, lambda, interval);
      this.#addAlarm({
        id: `${name}-errors`,
        metric: lambda.metricErrors(),
        threshold: 1,
        description: `Runs of the function ${name} end in an error or a timeout.`,
      });
    }
    this.#addAlarm({
      id: "mails-refused",
      metric: this.#ownMetric("RefusedMails", { queue: "mail" }, { statistic: Stats.SUM }),
      threshold: 1,
      description: "SES refuses the mails of this sender: it is not verified, in the sandbox, or suspended.",
    });
    this.#addAlarm({
      id: "unreadable-items",
      metric: this.#ownMetric("UnreadableItems", { store: "all" }, { statistic: Stats.SUM }),
      threshold: 1,
      description: "A stored item does not have the shape that this version reads.",
    });
    this.#addAlarm({
      id: "paused-operations",
      metric: this.#ownMetric("PausedOperations", { service: "switches" }, { statistic: Stats.SUM }),
      threshold: 1,
      description: "Requests meet something that an operator has paused.",
    });
    this.#addAlarm({
      id: "flooded-sockets",
      metric: this.#ownMetric("FloodedSockets", { audience: "public" }, { statistic: Stats.SUM }),
      threshold: floodThreshold,
      description: "Clients flood one socket after the other; each is closed after some seconds.",
    });
    monthlyBudget(this, stage);
    if (stage.canary) this.#addAlarm(canaryAlarm(stage));
    if (props.relays !== undefined) this.#watchRelays(props.relays);
    this.#addDashboard(props);
  }

  #watchQueue(name: QueueName, { queue, deadLetters }: WorkerQueue) {
    this.#addAlarm({
      id: `${name}-dead-letters`,
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(highestByMinute),
      threshold: 1,
      description: `The receiver of the queue ${name} gave up on messages; they wait in the dead-letter queue.`,
    });
    this.#addAlarm({
      id: `${name}-queue-age`,
      metric: queue.metricApproximateAgeOfOldestMessage(highestByMinute),
      threshold: longestWaitSeconds,
      description: `Messages wait in the queue ${name} for minutes: its receiver fails or cannot keep up.`,
    });
    if (!outboxQueues.includes(name)) return;
    this.#addAlarm({
      id: `${name}-outbox-age`,
      metric: this.#ownMetric("OldestOutboxItemSeconds", { queue: name }, highestInFiveMinutes),
      threshold: longestWaitSeconds,
      firesWithoutData: true,
      description: `Messages for the queue ${name} stay in the outbox for minutes although the sweeper sends them, or the sweeper does not run.`,
    });
    this.#addAlarm({
      id: `${name}-parked`,
      metric: this.#ownMetric("ParkedMessages", { queue: name }, highestByMinute),
      threshold: 1,
      description: `Messages of the queue ${name} were given up, and wait for an operator.`,
    });
  }

  #watchSchedule(name: string, lambda: IFunction, interval: Duration) {
    this.#addAlarm({
      id: `${name}-stopped`,
      metric: lambda.metricInvocations({ period: Duration.seconds(Math.max(300, 3 * interval.toSeconds())) }),
      threshold: 1,
      firesBelow: true,
      firesWithoutData: true,
      description: `The function ${name} has not run for longer than its schedule allows.`,
    });
  }

  #watchRelays({ balancer, relays: { service, logGroup } }: RelayStack) {
    const { minTasks = 1, maxTasks = 1 } = this.#stage.sockets.relay ?? {};
    const relay = { service: "relay" } as const;
    const inLog = (id: string, filterPattern: IFilterPattern) =>
      new MetricFilter(this, id, {
        logGroup,
        filterPattern,
        metricNamespace: `${metricNamespace}/${this.#stage.name}`,
        metricName: id,
      }).metric({ statistic: Stats.SUM });
    this.#addAlarm({
      id: "relay-tasks-missing",
      metric: balancer.healthyRelays(highestInFiveMinutes),
      threshold: minTasks,
      firesBelow: true,
      firesWithoutData: true,
      description: `For five minutes, fewer than ${minTasks} relays take sockets.`,
    });
    this.#addAlarm({
      id: "relay-cpu",
      metric: service.metricCpuUtilization({ period: Duration.minutes(5) }),
      threshold: 80,
      description: "The relays use most of their CPU: frames and handshakes wait.",
    });
    this.#addAlarm({
      id: "relay-memory",
      metric: service.metricMemoryUtilization(highestInFiveMinutes),
      threshold: 85,
      description: "A relay uses most of its memory; without more, it dies with all of its sockets.",
    });
    this.#addAlarm({
      id: "relay-frame-delay",
      metric: this.#ownMetric("FrameDelayMilliseconds", relay, { period: Duration.minutes(5) }),
      threshold: longestFrameDelayMilliseconds,
      description: "Frames wait for seconds in the queues of the relays.",
    });
    this.#addAlarm({
      id: "relay-sockets",
      metric: this.#ownMetric("OpenSockets", relay, highestInFiveMinutes),
      threshold: 0.9 * maxSockets,
      description: `A relay has nearly as many sockets as it takes, ${maxSockets}.`,
    });
    // A fixed number of tasks has no limit to approach.
    if (maxTasks > minTasks) {
      this.#addAlarm({
        id: "relay-tasks-at-most",
        metric: balancer.healthyRelays({ period: Duration.minutes(15), statistic: Stats.MINIMUM }),
        threshold: maxTasks,
        description: `There are as many relays as the stage allows, ${maxTasks}: no more will be added.`,
      });
    }
    this.#addAlarm({
      id: "relay-errors",
      metric: inLog("RelayErrors", relayErrors),
      threshold: serverErrorThreshold,
      description: "Relays log errors: handshakes or frames fail, or a queue or table is out of reach.",
    });
    this.#addAlarm({
      id: "relay-died",
      metric: inLog("RelayDeaths", relayDeaths),
      threshold: 1,
      description: "A relay has died without draining; another one has removed what it left.",
    });
  }

  #createTopic(address: string) {
    const topic = new Topic(this, "Alarms", { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    // The policy that enforces TLS replaces the default one, which lets the account's alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": this.account } },
      }),
    );
    return topic;
  }

  #addAlarm({ id, metric, threshold, firesBelow, firesWithoutData, description }: AlarmPlan) {
    const alarm = metric.createAlarm(this, id, {
      // Mails and the runbook name it, and a replacement would lose nothing.
      alarmName: alarmName(this.#stage, id),
      alarmDescription: description,
      threshold,
      comparisonOperator: firesBelow
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: firesWithoutData ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (this.#alarmTopic !== undefined) alarm.addAlarmAction(new SnsAction(this.#alarmTopic));
  }

  #addDashboard({
    queues,
    apis,
    socketApi,
    relays,
    familyFunctions,
    workerFunctions,
  }: Omit<MonitoringStackProps, "stage">) {
    const functions = [...familyFunctions, ...workerFunctions];
    const perFunction = (
      title: string,
      metric: (lambda: ManifestFunction["lambda"], label: string) => Metric,
    ) =>
      graph(
        title,
        functions.map(({ name, lambda }) => metric(lambda, name)),
      );
    new Dashboard(this, "Dashboard", {
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
        ...(relays === undefined ? [] : this.#relayGraphs(relays)),
        [
          ...(socketApi === undefined ? [] : [this.#socketGraph(socketApi)]),
          graph("Events: milliseconds from commit to delivery", [
            this.#ownMetric(
              "DeliveryMilliseconds",
              { queue: "events" },
              { label: "p50", statistic: Stats.p(50) },
            ),
            this.#ownMetric(
              "DeliveryMilliseconds",
              { queue: "events" },
              { label: "p99", statistic: Stats.p(99) },
            ),
          ]),
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
              this.#ownMetric(
                "OldestOutboxItemSeconds",
                { queue: name },
                { label: name, statistic: Stats.MAXIMUM },
              ),
            ),
          ),
        ],
      ],
    });
  }

  #socketGraph(socketApi: SocketApi) {
    return graph("Sockets: handshakes, messages and errors", [
      socketApi.metric("ConnectCount", { label: "handshakes", statistic: Stats.SUM }),
      socketApi.metric("MessageCount", { label: "messages, both ways", statistic: Stats.SUM }),
      socketApi.metric("ClientError", { label: "4xx", statistic: Stats.SUM }),
      socketApi.metric("ExecutionError", { label: "5xx", statistic: Stats.SUM }),
      socketApi.metric("IntegrationError", { label: "errors of the function", statistic: Stats.SUM }),
    ]);
  }

  #relayGraphs({ balancer, relays: { service } }: RelayStack) {
    const relay = { service: "relay" } as const;
    const flows = balancer.balancer.metrics;
    return [
      [
        graph("Relays: open sockets per task", [
          this.#ownMetric("OpenSockets", relay, { label: "average", statistic: Stats.AVERAGE }),
          this.#ownMetric("OpenSockets", relay, { label: "highest", statistic: Stats.MAXIMUM }),
        ]),
        graph("Relays: milliseconds that frames waited", [
          this.#ownMetric("FrameDelayMilliseconds", relay, { label: "p50", statistic: Stats.p(50) }),
          this.#ownMetric("FrameDelayMilliseconds", relay, { label: "p99", statistic: Stats.p(99) }),
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

  /** Server errors, except those that report something as switched off. */
  #faultsOf(audience: GatewayApi["audience"], api: GatewayApi["api"]): MathExpression {
    const deliberate = this.#ownMetric("DeliberateServerErrors", { audience }, { statistic: Stats.SUM });
    return new MathExpression({
      expression: "errors - FILL(deliberate, 0)",
      usingMetrics: { errors: api.metricServerError({ statistic: Stats.SUM }), deliberate },
      period: Duration.minutes(5),
    });
  }

  #ownMetric(metricName: MetricName, subject: MetricSubject, options: MetricOptions) {
    return ownMetric(this.#stage, metricName, subject, options);
  }
}

const graph = (title: string, left: Metric[]) => new GraphWidget({ title, left, width: 12 });

const entriesOf = (queues: MonitoringStackProps["queues"]) =>
  Object.entries(queues) as [QueueName, WorkerQueue][];
