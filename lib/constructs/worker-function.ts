import { Duration, Stack } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { CfnRotationSchedule } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import type { Worker } from "#shared/family.ts";
import { type QueueName, queues } from "#shared/messaging/queues.ts";
import type { SecretName } from "#shared/secrets.ts";
import { ManifestFunction, type ManifestFunctionProps } from "./manifest-function.ts";

interface WorkerFunctionProps extends Omit<ManifestFunctionProps, "manifest" | "timeout"> {
  readonly worker: Worker;
}

/** Longest that Lambda lets a function run. */
const longestTimeoutSeconds = 900;

/** A function that no client calls by HTTP, connected to what its manifest names: queue, schedule, rotation, sockets. */
export class WorkerFunction extends ManifestFunction {
  constructor(scope: Construct, { worker, ...props }: WorkerFunctionProps) {
    super(scope, { ...props, manifest: worker, timeout: Duration.seconds(timeoutSeconds(worker.trigger)) });
    const { trigger } = worker;
    if ("queue" in trigger) this.#consume(trigger.queue, props);
    else if ("everySeconds" in trigger) this.#runEvery(Duration.seconds(trigger.everySeconds));
    else if ("sockets" in trigger) props.resources.socketApi.mount(this.lambda);
    else this.#rotate(trigger.rotationOf, trigger.everyDays, props);
  }

  #consume(name: QueueName, { resources, stage }: Omit<WorkerFunctionProps, "worker">) {
    this.lambda.addEventSource(
      new SqsEventSource(resources.queues[name].queue, {
        batchSize: queues[name].batchSize,
        reportBatchItemFailures: true,
        maxConcurrency: stage.workerConcurrency,
      }),
    );
  }

  #runEvery(interval: Duration) {
    new Rule(this, "Schedule", {
      schedule: Schedule.rate(interval),
      // The next run repeats what a failed one left.
      targets: [new LambdaTarget(this.lambda, { retryAttempts: 0 })],
    });
  }

  /**
   * The first rotation follows at once, as the secret starts without a key. The schedule belongs to the stack of
   * the function, not of the secret, and is no `RotationSchedule`: that adds a grant for random passwords
   * and writes into the secret's stack.
   */
  #rotate(name: SecretName, everyDays: number, { resources }: Omit<WorkerFunctionProps, "worker">) {
    this.lambda.addPermission("Rotation", {
      principal: new ServicePrincipal("secretsmanager.amazonaws.com"),
      sourceAccount: Stack.of(this).account,
    });
    const schedule = new CfnRotationSchedule(this, "RotationSchedule", {
      secretId: resources.secrets[name].secretArn,
      rotationLambdaArn: this.lambda.functionArn,
      rotationRules: { automaticallyAfterDays: everyDays },
      rotateImmediatelyOnUpdate: true,
    });
    schedule.node.addDependency(this.lambda);
  }
}

function timeoutSeconds(trigger: Worker["trigger"]) {
  // Half of it, so that a batch that Lambda had to throttle still has time before SQS hands it out again.
  if ("queue" in trigger) return Math.floor(queues[trigger.queue].visibilityTimeoutSeconds / 2);
  // API Gateway waits for 29 seconds.
  if ("sockets" in trigger) return 15;
  if ("everySeconds" in trigger) return Math.min(trigger.everySeconds, longestTimeoutSeconds);
  return 60;
}
