import { Duration, Stack, type StackProps } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";
import { canaryAlarm } from "../canary-alarm.ts";
import type { WorkerFunction } from "../constructs/worker-function.ts";
import { StageAlarms } from "../monitoring/stage-alarms.ts";
import { createDashboard, entriesOf, type Monitored } from "../monitoring/stage-dashboard.ts";
import { watchApi, watchSocketApi } from "../monitoring/watch-apis.ts";
import { watchBackups } from "../monitoring/watch-backups.ts";
import { watchLimits } from "../monitoring/watch-limits.ts";
import { watchDeliveries, watchOutbox, watchQueue } from "../monitoring/watch-queues.ts";
import { watchRelays } from "../monitoring/watch-relays.ts";
import { monthlyBudget } from "../monthly-budget.ts";
import { socketFunction } from "../socket-paths.ts";
import type { Stage } from "../stage.ts";

interface MonitoringStackProps extends StackProps, Monitored {
  readonly stage: Stage;
}

/** Flooded sockets within five minutes that are not just an accident of one client. */
const floodThreshold = 5;

const sum = { statistic: Stats.SUM };

/** Alarms for faults that would otherwise go unnoticed, and one dashboard. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, { stage, ...props }: MonitoringStackProps) {
    super(scope, id, props);
    const { queues, apis, socketApi, relays, workerFunctions } = props;
    const topic = stage.alarmEmail === undefined ? undefined : this.#createTopic(stage.alarmEmail);
    const alarms = new StageAlarms(this, { stage, topic });
    for (const [name, queue] of entriesOf(queues)) watchQueue(alarms, name, queue);
    watchOutbox(alarms);
    watchDeliveries(alarms, queues);
    for (const api of apis) watchApi(alarms, api);
    for (const worker of workerFunctions) {
      watchWorker(alarms, worker);
      const { name, lambda } = worker;
      if (name === socketFunction && socketApi !== undefined) watchSocketApi(alarms, { socketApi, lambda });
    }
    watchReports(alarms);
    watchLimits(alarms, stage);
    if (stage.backups !== undefined) watchBackups(alarms);
    if (stage.canary) alarms.add(canaryAlarm(stage));
    monthlyBudget(this, stage);
    if (relays !== undefined) watchRelays(alarms, { stage, relays }, this);
    createDashboard(this, alarms, props);
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
}

function watchWorker(alarms: StageAlarms, { name, lambda, interval }: WorkerFunction): void {
  if (interval !== undefined) {
    alarms.add({
      id: `${name}-stopped`,
      metric: lambda.metricInvocations({ period: Duration.seconds(Math.max(300, 3 * interval.toSeconds())) }),
      threshold: 1,
      firesBelow: true,
      withoutData: "fires",
      description: `The function ${name} has not run for longer than its schedule allows.`,
    });
  }
  alarms.add({
    id: `${name}-errors`,
    metric: lambda.metricErrors(),
    threshold: 1,
    description: `Runs of the function ${name} end in an error or a timeout.`,
  });
}

/** Alarms on single metrics that functions write. */
function watchReports(alarms: StageAlarms): void {
  alarms.add({
    id: "mails-refused",
    metric: alarms.ownMetric("RefusedMails", { queue: "mail" }, sum),
    threshold: 1,
    description: "SES refuses the mails of this sender: it is not verified, in the sandbox, or suspended.",
  });
  alarms.add({
    id: "unreadable-items",
    metric: alarms.ownMetric("UnreadableItems", { store: "all" }, sum),
    threshold: 1,
    description: "A stored item does not have the shape that this version reads.",
  });
  alarms.add({
    id: "paused-operations",
    metric: alarms.ownMetric("PausedOperations", { service: "switches" }, sum),
    threshold: 1,
    description: "Requests meet something that an operator has paused.",
  });
  alarms.add({
    id: "flooded-sockets",
    metric: alarms.ownMetric("FloodedSockets", { audience: "public" }, sum),
    threshold: floodThreshold,
    description: "Clients flood one socket after the other; each is closed after some seconds.",
  });
}
