import { Duration, Stack } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { CfnRotationSchedule } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { variables } from "#shared/platform/config.ts";
import type { Worker } from "#shared/platform/manifest.ts";
import { queues, type WorkerQueueName } from "#shared/registry/queues.ts";
import type { SecretName } from "#shared/registry/secrets.ts";
import { batchesOf } from "../stage.ts";
import type { Resources } from "./manifest-access.ts";
import { ManifestFunction, type ManifestFunctionProps } from "./manifest-function.ts";
import type { SocketApi } from "./socket-api.ts";

interface WorkerFunctionProps extends Omit<ManifestFunctionProps, "manifest" | "timeout"> {
  readonly worker: Worker;
  readonly resources: Resources & { readonly socketApi: SocketApi | undefined };
}

/** Longest timeout that Lambda allows. */
const longestTimeoutSeconds = 900;

/** A function that is not called by HTTP, with the trigger in its manifest: queue, schedule, rotation, sockets or their log. */
export class WorkerFunction extends ManifestFunction {
  /** Time between two runs, if it has a schedule. */
  readonly interval: Duration | undefined;

  constructor(scope: Construct, { worker, ...props }: WorkerFunctionProps) {
    super(scope, { ...props, manifest: worker, timeout: Duration.seconds(timeoutSeconds(worker.trigger)) });
    const { trigger } = worker;
    this.interval = "everySeconds" in trigger ? Duration.seconds(trigger.everySeconds) : undefined;
    if (this.interval !== undefined) this.#runEvery(this.interval);
    if ("queue" in trigger) this.#consume(trigger.queue, props);
    if ("sockets" in trigger) props.resources.socketApi?.mount(this.lambda);
    if ("socketLog" in trigger) this.#readLog(props.resources.socketApi);
    if ("rotationOf" in trigger) this.#rotate(trigger.rotationOf, trigger.everyDays, props);
  }

  #consume(name: WorkerQueueName, { resources, stage }: Omit<WorkerFunctionProps, "worker">) {
    // The grant of the event source includes changing the visibility of messages.
    this.lambda.addEnvironment(variables.queue(name), resources.queues[name].queue.queueUrl);
    this.lambda.addEventSource(
      new SqsEventSource(resources.queues[name].queue, {
        batchSize: queues[name].batchSize,
        reportBatchItemFailures: true,
        maxConcurrency: batchesOf(stage, name),
      }),
    );
  }

  #runEvery(interval: Duration) {
    // No retries, because the next run picks up the work of a failed one.
    this.lambda.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: Duration.seconds(Math.max(60, interval.toSeconds())),
    });
    new Rule(this, "Schedule", {
      schedule: Schedule.rate(interval),
      targets: [new LambdaTarget(this.lambda, { retryAttempts: 0 })],
    });
  }

  /** No retries, because a flood that was missed shows again in the next batch. */
  #readLog(socketApi: SocketApi | undefined) {
    this.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.seconds(60) });
    socketApi?.logFramesTo(this.lambda);
  }

  /**
   * The first rotation follows immediately, because the secret starts without a key. The schedule belongs to the
   * function's stack, not the secret's. It is not a `RotationSchedule`, which would add a grant for random passwords
   * and write into the secret's stack.
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
  // Half the visibility timeout, so that even a throttled batch can end before SQS delivers it again.
  if ("queue" in trigger) return Math.floor(queues[trigger.queue].visibilityTimeoutSeconds / 2);
  // API Gateway waits for 29 seconds.
  if ("sockets" in trigger) return 15;
  if ("everySeconds" in trigger) return Math.min(trigger.everySeconds, longestTimeoutSeconds);
  return 60;
}
