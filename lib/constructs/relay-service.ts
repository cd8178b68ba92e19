import { Aws, Duration, Size, Validations } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import {
  AvailabilityZoneRebalancing,
  AwsLogDriverMode,
  Capability,
  Cluster,
  type ContainerDefinition,
  ContainerDependencyCondition,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  LinuxParameters,
  LogDriver,
  OperatingSystemFamily,
  UlimitName,
} from "aws-cdk-lib/aws-ecs";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Asset } from "aws-cdk-lib/aws-s3-assets";
import { Construct } from "constructs";
import { variables } from "#shared/platform/config.ts";
import type { FunctionAccess } from "#shared/platform/manifest.ts";
import { maxSockets, mostUploads, relayPort } from "../relay/limits.ts";
import { removalPolicyOf } from "../removal-policy.ts";
import { hasUploadRelays, type RelayStage, type Stage } from "../stage.ts";
import { AccessGrants, type Resources } from "./manifest-access.ts";
import { ownMetric } from "./own-metric.ts";
import type { RelayBalancer } from "./relay-balancer.ts";
import type { RelayNetwork } from "./relay-network.ts";
import type { RelayQueues } from "./relay-queues.ts";

interface RelayServiceProps {
  readonly stage: Stage;
  readonly relay: RelayStage;
  readonly network: RelayNetwork;
  readonly balancer: RelayBalancer;
  /** Manifests of the functions whose code runs in a relay. */
  readonly manifests: readonly FunctionAccess[];
  readonly resources: Resources & { readonly relayQueues: RelayQueues };
  readonly publicUrl: string;
  /** The two files of the relay's bundle. */
  readonly files: { readonly program: string; readonly settings: string };
}

/**
 * Images of a public registry, so that a deployment needs neither Docker nor its own registry; the first is the
 * runtime.
 */
const images = {
  node: "public.ecr.aws/docker/library/node:24.21.0-bookworm-slim",
  awsCli: "public.ecr.aws/aws-cli/aws-cli:2.36.24",
} as const;

/** Folder of the two files in a task. */
const volume = { name: "relay", path: "/relay" } as const;

/** The longest time that Fargate allows between the signal to end and the kill. */
const stopSeconds = 120;

/** Share of a task's memory for the heap: buffers of sockets are outside the heap. */
const heapShare = 0.75;

/** CPU, in percent, at which the number of tasks is kept: the rest is for clients that reconnect at the same time. */
const cpuTarget = 50;

/**
 * The relays, as tasks of a service. A task runs the code of a function in its own process, with the access of that
 * function and access to the relays' queues. It starts from a public image and copies its program from the assets of
 * the deployment.
 */
export class RelayService extends Construct {
  readonly service: FargateService;
  readonly logGroup: LogGroup;
  readonly #props: RelayServiceProps;

  constructor(scope: Construct, id: string, props: RelayServiceProps) {
    super(scope, id);
    this.#props = props;
    const { stage, network, balancer, relay } = props;
    this.logGroup = new LogGroup(this, "Logs", {
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
    const cluster = new Cluster(this, "Cluster", {
      vpc: network.vpc,
      containerInsightsV2: ContainerInsights.DISABLED,
    });
    Validations.of(cluster).acknowledge({
      id: "AwsSolutions-ECS4",
      reason:
        "Service, load balancer and relays record the metrics that the alarms need; Container Insights would leave a log group behind.",
    });
    const taskDefinition = this.#createTask();
    this.service = new FargateService(this, "Service", {
      cluster,
      taskDefinition,
      assignPublicIp: true,
      vpcSubnets: network.subnets,
      securityGroups: [network.ofTasks],
      availabilityZoneRebalancing: AvailabilityZoneRebalancing.ENABLED,
      minHealthyPercent: 100,
      maxHealthyPercent: 100 + relay.deploymentPercent,
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(60),
    });
    this.service.attachToNetworkTargetGroup(balancer.targets);
    // A service refuses a target group without a load balancer, and a task cannot start before its permissions exist.
    this.service.node.addDependency(balancer.balancer, taskDefinition.obtainExecutionRole());
    this.#scale();
  }

  #createTask(): FargateTaskDefinition {
    const { relay } = this.#props;
    const taskRole = new Role(this, "TaskRole", {
      assumedBy: new ServicePrincipal("ecs-tasks.amazonaws.com"),
    });
    const task = new FargateTaskDefinition(this, "Task", {
      cpu: relay.cpu,
      memoryLimitMiB: relay.memoryMegabytes,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      taskRole,
      volumes: [{ name: volume.name }],
    });
    Validations.of(task).acknowledge({
      id: "AwsSolutions-ECS2",
      reason: "They name resources. The one secret among them is injected from Secrets Manager.",
    });
    const copying = this.#addCopying(task);
    const relaying = this.#addRelay(task);
    relaying.addContainerDependencies({
      container: copying,
      condition: ContainerDependencyCondition.SUCCESS,
    });
    return task;
  }

  /** A container that copies the program and the settings from the bucket of the CDK's assets, then ends. */
  #addCopying(task: FargateTaskDefinition): ContainerDefinition {
    const { program, settings } = this.#props.files;
    const copies = [
      { id: "Program", path: program, as: volumeFiles.program },
      { id: "Settings", path: settings, as: volumeFiles.settings },
    ].map(({ id, path, as }) => {
      const { s3BucketName, s3ObjectKey, s3ObjectUrl } = new Asset(this, id, { path });
      task.addToTaskRolePolicy(
        new PolicyStatement({
          actions: ["s3:GetObject"],
          resources: [`arn:${Aws.PARTITION}:s3:::${s3BucketName}/${s3ObjectKey}`],
        }),
      );
      return `aws s3 cp --no-progress ${s3ObjectUrl} ${as}`;
    });
    const container = task.addContainer("copy", {
      image: ContainerImage.fromRegistry(images.awsCli),
      essential: false,
      // As root, which owns a new volume.
      entryPoint: ["sh", "-c"],
      command: [copies.join(" && ")],
      environment: { AWS_REGION: Aws.REGION },
      startTimeout: Duration.seconds(120),
      ...this.#confinement("copy"),
    });
    container.addMountPoints({ sourceVolume: volume.name, containerPath: volume.path, readOnly: false });
    return container;
  }

  #addRelay(task: FargateTaskDefinition): ContainerDefinition {
    const { stage, relay, manifests, resources, publicUrl } = this.#props;
    const container = task.addContainer("relay", {
      image: ContainerImage.fromRegistry(images.node),
      user: "node",
      entryPoint: ["node"],
      command: [`--max-old-space-size=${Math.floor(relay.memoryMegabytes * heapShare)}`, volumeFiles.program],
      portMappings: [{ containerPort: relayPort }],
      environment: {
        AWS_REGION: Aws.REGION,
        [variables.settingsFile]: volumeFiles.settings,
        [variables.publicUrl]: publicUrl,
        [variables.logLevel]: stage.logLevel,
        [variables.stage]: stage.name,
      },
      stopTimeout: Duration.seconds(stopSeconds),
      // Each socket is a file, and so is each connection to AWS.
      ulimits: [{ name: UlimitName.NOFILE, softLimit: 2 * maxSockets, hardLimit: 2 * maxSockets }],
      ...this.#confinement("relay"),
    });
    container.addMountPoints({ sourceVolume: volume.name, containerPath: volume.path, readOnly: true });
    if (hasUploadRelays(stage))
      container.addEnvironment(variables.relayUploads, String(mostUploads(relay.memoryMegabytes)));
    const grants = new AccessGrants({
      scope: this,
      setVariable: (name, value) => container.addEnvironment(name, value),
      allow: (statement) => task.addToTaskRolePolicy(statement),
    });
    for (const manifest of manifests) grants.grant({ manifest, resources, stage });
    task.addToTaskRolePolicy(
      new PolicyStatement({
        actions: ["sqs:CreateQueue", "sqs:DeleteQueue", "sqs:ReceiveMessage", "sqs:DeleteMessage"],
        resources: [resources.relayQueues.arn],
      }),
    );
    return container;
  }

  /** Neither container may write to its file system, and neither has privileges of the kernel. */
  #confinement(name: string) {
    const linuxParameters = new LinuxParameters(this, `${name}-linux`, { initProcessEnabled: true });
    linuxParameters.dropCapabilities(Capability.ALL);
    const logging = LogDriver.awsLogs({
      streamPrefix: name,
      logGroup: this.logGroup,
      // Losing a line of the log is better than not relaying.
      mode: AwsLogDriverMode.NON_BLOCKING,
      maxBufferSize: Size.mebibytes(4),
    });
    return { readonlyRootFilesystem: true, linuxParameters, logging };
  }

  #scale() {
    const { stage, relay } = this.#props;
    const tasks = this.service.autoScaleTaskCount({
      minCapacity: relay.minTasks,
      maxCapacity: relay.maxTasks,
    });
    const cooldowns = {
      scaleOutCooldown: Duration.minutes(1),
      // Every task that ends makes its clients reconnect.
      scaleInCooldown: Duration.minutes(15),
    };
    tasks.scaleOnCpuUtilization("Cpu", { ...cooldowns, targetUtilizationPercent: cpuTarget });
    tasks.scaleToTrackCustomMetric("Sockets", {
      ...cooldowns,
      metric: ownMetric(
        stage,
        "OpenSockets",
        { service: "relay" },
        { statistic: Stats.AVERAGE, period: Duration.minutes(1) },
      ),
      targetValue: relay.socketsPerTask,
    });
  }
}

const volumeFiles = {
  program: `${volume.path}/relay.cjs`,
  settings: `${volume.path}/settings.json`,
} as const;
