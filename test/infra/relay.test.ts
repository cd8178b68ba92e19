import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { uploadFunction } from "#lib/bundle/bundle.ts";
import { socketPathPatterns } from "#lib/constructs/edge-distribution.ts";
import { guardAlarms } from "#lib/guarded-deployment.ts";
import { defaultDrainSeconds, healthPath, maxSockets, relayPort } from "#lib/relay/limits.ts";
import { socketFunction } from "#lib/socket-paths.ts";
import { parseStage, readStage, type Stage } from "#lib/stage.ts";
import { uploadPathPatterns } from "#lib/uploads/upload-paths.ts";
import { relaySocketId } from "#shared/events/sockets/relay.ts";
import { variables } from "#shared/platform/config.ts";
import {
  type Deployment,
  list,
  logicalPrefix,
  type Resource,
  type Statement,
  statements,
  statementsOf,
  synthesise,
} from "./deployment.ts";

const region = "eu-central-1";
const certificateOf = (name: string, inRegion = region) =>
  `arn:aws:acm:${inRegion}:123456789012:certificate/${name}`;
const relay = { domainName: "relay.parley.example", certificateArn: certificateOf("relay") };
const distribution = {
  domainName: "chat.parley.example",
  certificateArn: certificateOf("chat", "us-east-1"),
};

const stageOf = (name: string, fields: object): Stage =>
  parseStage(name, {
    account: "123456789012",
    region,
    isProtected: false,
    logRetentionDays: 30,
    memoryMegabytes: 512,
    workerConcurrency: 2,
    throttle: { requestsPerSecond: 10, burst: 10 },
    alarmEmail: "operations@parley.example",
    ...fields,
  });

const dev = synthesise(readStage("dev"), { validates: false });
const protectedOne = synthesise(
  stageOf("safe", { isProtected: true, distribution, sockets: { mode: "relay", relay } }),
  { validates: true },
);
const small = synthesise(
  stageOf("small", {
    account: undefined,
    region: undefined,
    sockets: {
      mode: "relay",
      relay: { ...relay, minTasks: 1, maxTasks: 1, cpu: 512, memoryMegabytes: 1024 },
    },
  }),
  { validates: false },
);
/** Relays are deployed, but clients are led to API Gateway. */
const prepared = synthesise(
  stageOf("prepared", {
    distribution,
    sockets: { mode: "gateway", relay: { ...relay, minTasks: 4, deploymentPercent: 25 } },
  }),
  { validates: false },
);

/** Functions that are deployed without a WebSocket API. */
const others = [...families, ...workers].filter(
  ({ name }) => ![socketFunction, "socket-floods", "canary"].includes(name),
);

const withRelays = { protectedOne, small, prepared };
const relaysOnly = { protectedOne, small };

const one = (deployment: Deployment, type: string, prefix = ""): [string, Resource] => {
  const [found, ...more] = deployment.ofType(type).filter(([id]) => id.startsWith(prefix));
  expect(more).toEqual([]);
  return found as [string, Resource];
};
const taskOf = (deployment: Deployment) => one(deployment, "AWS::ECS::TaskDefinition")[1].Properties;
const containerOf = (deployment: Deployment, name: string) =>
  taskOf(deployment).ContainerDefinitions.find(({ Name }: { Name: string }) => Name === name);
const environmentOf = (deployment: Deployment): Record<string, unknown> =>
  Object.fromEntries(
    containerOf(deployment, "relay").Environment.map(({ Name, Value }: { Name: string; Value: unknown }) => [
      Name,
      Value,
    ]),
  );
const targetAttributes = (deployment: Deployment): Record<string, string> =>
  Object.fromEntries(
    one(deployment, "AWS::ElasticLoadBalancingV2::TargetGroup")[1].Properties.TargetGroupAttributes.map(
      ({ Key, Value }: { Key: string; Value: string }) => [Key, Value],
    ),
  );
/** Each granted action with its resource. */
const grantsOf = (granted: readonly Statement[]): string[] =>
  granted
    .flatMap(({ Effect, Action, Resource: resource, Condition }) =>
      list(Action).flatMap((action) =>
        list(resource).map((one) => JSON.stringify([Effect, action, one, Condition])),
      ),
    )
    .sort();
const taskGrants = (deployment: Deployment) => grantsOf(statementsOf(deployment, "relayserviceTaskRole"));

describe.each(Object.entries(withRelays))("the stacks of a stage with relays, %s,", (_, deployment) => {
  it("have no unexplained findings in the security checks", () => {
    const { violations } = new AwsSolutionsChecks().validateScope(deployment.app);
    expect(violations).toEqual([]);
  });

  it("stay below the number of resources that CloudFormation allows", () => {
    expect(deployment.largest).toBeLessThan(400);
  });

  it("grant no wildcard actions, and grant the relays nothing without naming it", () => {
    const actions = statements(deployment).flatMap(({ Action }) => Action);
    expect(actions.filter((action) => action.includes("*"))).toEqual([]);
    const ofRelays = statementsOf(deployment, "relay").flatMap((statement) => list(statement.Resource));
    expect(ofRelays.filter((resource) => resource === "*")).toEqual([]);
  });

  it("let functions and relays reach the queues of this stage's relays only", () => {
    const arns = statements(deployment)
      .flatMap((statement) => list(statement.Resource))
      .map((resource) => JSON.stringify(resource))
      .filter((text) => text.includes("-relay-"));
    expect(new Set(arns).size).toBe(1);
    const [, pattern = ""] = /:(parley-\w+-relay-[^"]+)"/.exec(arns[0] ?? "") ?? [];
    const matches = (name: string) =>
      new RegExp(`^${pattern.replaceAll("?", ".").replaceAll("*", ".*")}$`).test(name);
    const { value } = { value: JSON.stringify(environmentOf(deployment)[variables.relayQueues]) };
    const [, prefix = ""] = /(parley-\w+-relay-)/.exec(value) ?? [];
    const [, id = ""] = /relay-(\w+)-/.exec(relaySocketId("0123456789abcdef", 1)) ?? [];
    expect(matches(`${prefix}${id}.fifo`)).toBe(true);
    // Queues of a stage with a similar name.
    expect(matches(`${prefix}messaging-eventsqueueQueue5B42E4CF-AbCdEfGhIjKl.fifo`)).toBe(false);
    expect(value).toMatch(/"https:\/\/sqs\.",.*"AWS::Region".*"AWS::URLSuffix".*"AWS::AccountId"/);
  });

  it("admit clients at one port of the load balancer, and only the load balancer to the relays", () => {
    const groups = Object.fromEntries(deployment.ofType("AWS::EC2::SecurityGroup"));
    const [balancerId = ""] = Object.keys(groups).filter((id) => id.includes("BalancerGroup"));
    const [taskId = ""] = Object.keys(groups).filter((id) => id.includes("TaskGroup"));
    expect(Object.keys(groups)).toHaveLength(2);
    expect(groups[balancerId]?.Properties.SecurityGroupIngress).toMatchObject([
      { CidrIp: "0.0.0.0/0", IpProtocol: "tcp", FromPort: 443, ToPort: 443 },
    ]);
    expect(groups[taskId]?.Properties.SecurityGroupIngress).toBeUndefined();
    const ports = { IpProtocol: "tcp", FromPort: relayPort, ToPort: relayPort };
    expect(one(deployment, "AWS::EC2::SecurityGroupIngress")[1].Properties).toMatchObject({
      ...ports,
      GroupId: { "Fn::GetAtt": [taskId, "GroupId"] },
      SourceSecurityGroupId: { "Fn::GetAtt": [balancerId, "GroupId"] },
    });
    expect(one(deployment, "AWS::EC2::SecurityGroupEgress")[1].Properties).toMatchObject({
      ...ports,
      GroupId: { "Fn::GetAtt": [balancerId, "GroupId"] },
      DestinationSecurityGroupId: { "Fn::GetAtt": [taskId, "GroupId"] },
    });
    const { NetworkConfiguration } = one(deployment, "AWS::ECS::Service")[1].Properties;
    expect(NetworkConfiguration.AwsvpcConfiguration.SecurityGroups).toEqual([
      { "Fn::GetAtt": [taskId, "GroupId"] },
    ]);
  });

  it("have a network in two zones that needs no address translation", () => {
    const zones = deployment
      .ofType("AWS::EC2::Subnet")
      .map(([, { Properties }]) => JSON.stringify(Properties.AvailabilityZone));
    expect([zones.length, new Set(zones).size]).toEqual([2, 2]);
    expect(deployment.ofType("AWS::EC2::NatGateway")).toEqual([]);
    expect(deployment.ofType("AWS::EC2::VPCEndpoint")).toHaveLength(2);
    const { Properties } = one(deployment, "AWS::ElasticLoadBalancingV2::LoadBalancer")[1];
    expect(Properties.Subnets).toHaveLength(2);
    expect(Properties.LoadBalancerAttributes).toContainEqual({
      Key: "load_balancing.cross_zone.enabled",
      Value: "true",
    });
  });

  it("terminate TLS 1.2 and 1.3 at the load balancer with the certificate of the stage", () => {
    expect(one(deployment, "AWS::ElasticLoadBalancingV2::Listener")[1].Properties).toMatchObject({
      Port: 443,
      Protocol: "TLS",
      SslPolicy: "ELBSecurityPolicy-TLS13-1-2-Res-2021-06",
      Certificates: [{ CertificateArn: relay.certificateArn }],
    });
    expect(one(deployment, "AWS::ElasticLoadBalancingV2::TargetGroup")[1].Properties).toMatchObject({
      Port: relayPort,
      Protocol: "TCP",
      TargetType: "ip",
      HealthCheckProtocol: "HTTP",
      HealthCheckPath: healthPath,
    });
  });

  it("give a relay time to drain, and close no socket meanwhile", () => {
    const { StopTimeout } = containerOf(deployment, "relay");
    expect(StopTimeout).toBeGreaterThanOrEqual(defaultDrainSeconds + 20);
    // The longest that Fargate allows.
    expect(StopTimeout).toBeLessThanOrEqual(120);
    const attributes = targetAttributes(deployment);
    expect(attributes).toMatchObject({
      "deregistration_delay.connection_termination.enabled": "false",
      "target_health_state.unhealthy.connection_termination.enabled": "false",
      "preserve_client_ip.enabled": "false",
    });
    const delay = Number(attributes["deregistration_delay.timeout_seconds"]);
    expect(delay).toBeGreaterThan(0);
    // A draining relay is unhealthy, and must keep its sockets until it has closed them.
    const interval = Number(attributes["target_health_state.unhealthy.draining_interval_seconds"]);
    expect(interval).toBeGreaterThan(delay + StopTimeout);
  });

  it("confine both containers: no privileges, nothing to write to but the volume of the first", () => {
    const { ContainerDefinitions, RuntimePlatform } = taskOf(deployment);
    expect(RuntimePlatform).toEqual({ CpuArchitecture: "ARM64", OperatingSystemFamily: "LINUX" });
    expect(ContainerDefinitions).toHaveLength(2);
    for (const container of ContainerDefinitions) {
      expect(container).toMatchObject({
        ReadonlyRootFilesystem: true,
        LinuxParameters: { Capabilities: { Drop: ["ALL"] } },
        LogConfiguration: { LogDriver: "awslogs" },
      });
      expect(container.Image).toMatch(/^public\.ecr\.aws\/[\w./-]+:\d+\.\d+\.\d+[\w.-]*$/);
    }
    const relaying = containerOf(deployment, "relay");
    expect(relaying).toMatchObject({
      User: "node",
      DependsOn: [{ ContainerName: "copy", Condition: "SUCCESS" }],
      MountPoints: [{ ReadOnly: true }],
    });
    const [nofile] = relaying.Ulimits;
    expect(nofile.SoftLimit).toBeGreaterThan(maxSockets);
    const [heap] = relaying.Command;
    const [, heapMegabytes] = /^--max-old-space-size=(\d+)$/.exec(heap) ?? [];
    expect(Number(heapMegabytes)).toBeLessThan(Number(taskOf(deployment).Memory));
  });

  it("copy exactly the two files that the task may read, apart from uploads", () => {
    const [script = ""] = containerOf(deployment, "copy").Command.map((part: unknown) =>
      JSON.stringify(part),
    );
    const readable = taskGrants(deployment).filter((grant) => grant.includes("s3:GetObject"));
    const keys = readable.flatMap((grant) => /\/([0-9a-f]{64}\.\w+)/.exec(grant)?.[1] ?? []);
    expect(new Set(keys).size).toBe(2);
    expect(readable).toHaveLength(2 + Number(deployment !== small));
    for (const key of keys) expect(script).toContain(key);
    const [, program] = containerOf(deployment, "relay").Command;
    for (const file of [program, environmentOf(deployment)[variables.settingsFile]])
      expect(script).toContain(` ${file}`);
  });

  it("delete the service before the custom resource that removes what relays leave", () => {
    const [service] = deployment.ofType("AWS::ECS::Service");
    const [removalId] = one(deployment, "Custom::Relays");
    expect(service?.[1].DependsOn).toContain(removalId);
    const granted = grantsOf(statementsOf(deployment, "relayremoval"));
    const actions = granted.map((grant) => JSON.parse(grant)[1]);
    expect(actions).toEqual([
      "dynamodb:DeleteItem",
      "dynamodb:Query",
      "logs:CreateLogStream",
      "logs:PutLogEvents",
      "sqs:DeleteQueue",
    ]);
  });

  it("have a retention for every log group, and keep those of a protected stage only", () => {
    const groups = deployment.ofType("AWS::Logs::LogGroup").filter(([id]) => id.startsWith("relay"));
    expect(groups).toHaveLength(2);
    for (const [, { Properties, DeletionPolicy }] of groups) {
      expect(Properties.RetentionInDays).toBe(30);
      expect(DeletionPolicy).toBe(deployment === protectedOne ? "RetainExceptOnCreate" : "Delete");
    }
  });

  it("name every alarm of the relays as the runbook does, and none that cannot fire", () => {
    const runbook = readFileSync(join(import.meta.dirname, "../../docs/operations/watching.md"), "utf8");
    const ids = deployment
      .ofType("AWS::CloudWatch::Alarm")
      .map(([, { Properties }]): string => Properties.AlarmName.replace(/^parley-[a-z]+-/, ""))
      .filter((id) => id.startsWith("relay-"));
    expect(ids.sort()).toEqual(
      [
        "relay-cpu",
        "relay-died",
        "relay-errors",
        "relay-frame-delay",
        "relay-memory",
        "relay-sockets",
        // Where the number of tasks is fixed, it is no limit.
        ...(deployment === small ? [] : ["relay-tasks-at-most"]),
        "relay-tasks-missing",
      ].sort(),
    );
    for (const id of ids) expect(runbook).toContain(`\`${id}\``);
  });

  it("raise an alarm when fewer relays than wanted accept sockets, or none reports", () => {
    const [, { Properties }] = one(deployment, "AWS::CloudWatch::Alarm", "relaytasksmissing");
    const target = one(deployment, "AWS::ApplicationAutoScaling::ScalableTarget")[1].Properties;
    expect(Properties).toMatchObject({
      MetricName: "HealthyHostCount",
      Threshold: target.MinCapacity,
      ComparisonOperator: "LessThanThreshold",
      TreatMissingData: "breaching",
    });
    // CloudFormation applies only some functions to outputs of other stacks; this one is not among them.
    expect(JSON.stringify(deployment.ofType("AWS::CloudWatch::Alarm"))).not.toContain("Fn::Split");
  });
});

describe.each(Object.entries(relaysOnly))("a stage with relays only, %s,", (_, deployment) => {
  it("has no WebSocket API and no function behind one", () => {
    const apis = deployment.ofType("AWS::ApiGatewayV2::Api").map(([, { Properties }]) => Properties);
    expect(apis.map(({ ProtocolType }) => ProtocolType)).toEqual(["HTTP", "HTTP"]);
    const names = deployment
      .ofType("AWS::Lambda::Function")
      .flatMap(([id]) => /^(\w+)functionFunction/.exec(id)?.[1] ?? []);
    expect(names.sort()).toEqual(others.map(({ name }) => name.replaceAll("-", "")).sort());
    expect(deployment.ofType("AWS::Logs::SubscriptionFilter")).toEqual([]);
    expect(JSON.stringify(statements(deployment))).not.toContain("execute-api");
  });

  it("lets exactly the functions that post, and the relays, send to the queues of relays", () => {
    for (const { name, posts = false } of others) {
      const [fn] = deployment
        .ofType("AWS::Lambda::Function")
        .filter(([id]) => id.startsWith(logicalPrefix(name)));
      const known = fn?.[1].Properties.Environment.Variables;
      expect([name, variables.relayQueues in known, variables.socketsEndpoint in known]).toEqual([
        name,
        posts,
        false,
      ]);
      const actions = statementsOf(deployment, logicalPrefix(name))
        .filter(({ Resource: resource }) => JSON.stringify(resource).includes("-relay-?"))
        .flatMap(({ Action }) => Action);
      expect([name, actions]).toEqual([name, posts ? ["sqs:SendMessage"] : []]);
    }
  });

  it("has the alarms that guard a deployment", () => {
    const ids = deployment
      .ofType("AWS::CloudWatch::Alarm")
      .map(([, { Properties }]) => Properties.AlarmName.replace(/^parley-[a-z]+-/, ""));
    expect(ids).toEqual(expect.arrayContaining(guardAlarms({ sockets: { mode: "relay" }, canary: false })));
  });
});

describe("a relay", () => {
  it("has the access of the functions whose code it runs, and access to its program and the queues of relays", () => {
    const ofFunctions = [socketFunction, uploadFunction().name].flatMap((name) =>
      grantsOf(statementsOf(prepared, logicalPrefix(name))),
    );
    const more = taskGrants(prepared).filter((grant) => !ofFunctions.includes(grant));
    const less = [...new Set(ofFunctions.filter((grant) => !taskGrants(prepared).includes(grant)))].sort();
    // The same action by a reference from another stack.
    const posting = "execute-api:ManageConnections";
    const reading = "secretsmanager:GetSecretValue";
    const logging = ["logs:CreateLogStream", "logs:PutLogEvents"].flatMap((action) => [action, action]);
    expect(less.map((grant) => JSON.parse(grant)[1])).toEqual([posting, ...logging, reading]);
    expect(more.map((grant) => JSON.parse(grant)[1])).toEqual([
      posting,
      "s3:GetObject",
      "s3:GetObject",
      reading,
      "sqs:CreateQueue",
      "sqs:DeleteMessage",
      "sqs:DeleteQueue",
      "sqs:ReceiveMessage",
    ]);
  });

  it("gets the variables of these functions, but never their secret in plain text", () => {
    const variablesOf = (name: string): Record<string, unknown> =>
      prepared.ofType("AWS::Lambda::Function").find(([id]) => id.startsWith(logicalPrefix(name)))?.[1]
        .Properties.Environment.Variables;
    const ofFunctions = { ...variablesOf(uploadFunction().name), ...variablesOf(socketFunction) };
    const name = variables.secret("entrance");
    const { [name]: secret, ...others } = ofFunctions;
    expect(Object.keys(environmentOf(prepared)).sort()).toEqual(
      ["AWS_REGION", variables.relayUploads, name, ...Object.keys(others)].sort(),
    );
    const { [variables.settingsFile]: _, [variables.socketsEndpoint]: __, ...same } = others;
    expect(environmentOf(prepared)).toMatchObject(same);
    expect(secret).toBeDefined();
    expect(JSON.stringify(taskOf(prepared))).not.toContain("resolve:secretsmanager");
    const readable = taskGrants(prepared).filter((grant) => grant.includes("secretsmanager:GetSecretValue"));
    expect(readable.join()).toContain(JSON.stringify(environmentOf(prepared)[name]));
    // Without a distribution, there is no such secret.
    expect(Object.keys(environmentOf(small))).not.toContain(name);
  });

  it("is one of at least two in a protected stage, and as many as sockets and CPU need", () => {
    const target = one(protectedOne, "AWS::ApplicationAutoScaling::ScalableTarget")[1].Properties;
    expect(target).toMatchObject({ MinCapacity: 2, MaxCapacity: 10 });
    const policies = protectedOne
      .ofType("AWS::ApplicationAutoScaling::ScalingPolicy")
      .map(([, { Properties }]) => Properties.TargetTrackingScalingPolicyConfiguration);
    expect(policies).toHaveLength(2);
    expect(policies).toContainEqual(
      expect.objectContaining({
        TargetValue: 20_000,
        CustomizedMetricSpecification: {
          Namespace: "Parley",
          MetricName: "OpenSockets",
          Dimensions: [
            { Name: "service", Value: "relay" },
            { Name: "stage", Value: "safe" },
          ],
          Statistic: "Average",
        },
      }),
    );
    expect(policies).toContainEqual(
      expect.objectContaining({
        TargetValue: 50,
        PredefinedMetricSpecification: { PredefinedMetricType: "ECSServiceAverageCPUUtilization" },
      }),
    );
  });

  it("is replaced after its successor has started, all together or in parts, and comes back if that fails", () => {
    const deploymentOf = (deployment: Deployment) => one(deployment, "AWS::ECS::Service")[1].Properties;
    expect(deploymentOf(protectedOne)).toMatchObject({
      AvailabilityZoneRebalancing: "ENABLED",
      DeploymentConfiguration: {
        MinimumHealthyPercent: 100,
        MaximumPercent: 200,
        DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      },
    });
    // A deployment must not reset the number of tasks.
    expect(deploymentOf(protectedOne)).not.toHaveProperty("DesiredCount");
    expect(deploymentOf(prepared).DeploymentConfiguration.MaximumPercent).toBe(125);
  });

  it("starts after the permissions that its start needs, and behind a load balancer", () => {
    const [, { DependsOn = [] }] = one(protectedOne, "AWS::ECS::Service");
    for (const part of ["TaskExecutionRoleDefaultPolicy", "TaskRoleDefaultPolicy", "BalancerTls"])
      expect(DependsOn.filter((id) => id.includes(part))).toHaveLength(1);
  });
});

describe("the uploads of a stage", () => {
  const behaviours = (deployment: Deployment) => {
    const { CacheBehaviors, Origins } = one(deployment, "AWS::CloudFront::Distribution")[1].Properties
      .DistributionConfig as {
      CacheBehaviors: { PathPattern: string; TargetOriginId: string; AllowedMethods: string[] }[];
      Origins: { Id: string; DomainName: unknown }[];
    };
    return CacheBehaviors.filter(({ PathPattern }) => uploadPathPatterns(families).includes(PathPattern)).map(
      ({ PathPattern, TargetOriginId, AllowedMethods }) => ({
        path: PathPattern,
        host: Origins.find(({ Id }) => Id === TargetOriginId)?.DomainName,
        takesPost: AllowedMethods.includes("POST"),
      }),
    );
  };
  const mostUploads = (deployment: Deployment) => environmentOf(deployment)[variables.relayUploads];

  it("lead to its relays, by every path, where these hold the sockets behind its distribution", () => {
    const expected = uploadPathPatterns(families).map((path) => ({
      path,
      host: relay.domainName,
      takesPost: true,
    }));
    expect(behaviours(protectedOne)).toEqual(expect.arrayContaining(expected));
    expect(behaviours(protectedOne)).toHaveLength(expected.length);
    expect([protectedOne, prepared].map(mostUploads)).toEqual(["204", "204"]);
  });

  it("reach functions where sockets do, or without a distribution", () => {
    expect(behaviours(prepared)).toEqual([]);
    expect(mostUploads(small)).toBeUndefined();
  });
});

describe("the sockets of a distribution", () => {
  const configOf = (deployment: Deployment) =>
    one(deployment, "AWS::CloudFront::Distribution")[1].Properties.DistributionConfig;
  const originOf = (deployment: Deployment, path: string) => {
    const config = configOf(deployment);
    const { TargetOriginId } = config.CacheBehaviors.find(
      ({ PathPattern }: { PathPattern: string }) => PathPattern === path,
    );
    return config.Origins.find(({ Id }: { Id: string }) => Id === TargetOriginId);
  };

  it("lead to the relays, by TLS and with the secret of the entrance", () => {
    for (const path of socketPathPatterns) {
      const origin = originOf(protectedOne, path);
      expect(origin).toMatchObject({
        DomainName: relay.domainName,
        CustomOriginConfig: { OriginProtocolPolicy: "https-only", OriginSSLProtocols: ["TLSv1.2"] },
        OriginCustomHeaders: [{ HeaderName: "x-entrance-secret" }],
      });
    }
    expect(protectedOne.outputs.SocketUrl?.Value).toBe("wss://chat.parley.example");
  });

  it("lead to API Gateway until the stage changes its mode", () => {
    for (const path of socketPathPatterns)
      expect(JSON.stringify(originOf(prepared, path).DomainName)).toContain("socketapi");
    const api = prepared
      .ofType("AWS::ApiGatewayV2::Api")
      .map(([, { Properties }]) => Properties.ProtocolType);
    expect(api).toContain("WEBSOCKET");
    for (const [id, { Properties }] of prepared.ofType("AWS::Lambda::Function")) {
      const known = Properties.Environment?.Variables ?? {};
      expect([id, variables.relayQueues in known]).toEqual([id, variables.socketsEndpoint in known]);
    }
  });
});

it("a stage outputs the address of the sockets without a distribution, and the DNS record of the load balancer", () => {
  expect(small.outputs.SocketUrl?.Value).toBe("wss://relay.parley.example");
  for (const { outputs } of Object.values(withRelays)) {
    expect(JSON.stringify(outputs.RelayDnsRecord?.Value)).toMatch(/relay\.parley\.example CNAME .*DNSName/);
  }
});

it("a stage deploys nothing for relays where API Gateway holds the sockets", () => {
  const types = new Set(Object.values(dev.resources).map(({ Type }) => Type));
  const kinds = /^(AWS::(ECS|EC2|ElasticLoadBalancingV2|ApplicationAutoScaling)::|Custom::)/;
  expect([...types].filter((type) => kinds.test(type))).toEqual([]);
  const text = JSON.stringify([dev.resources, dev.outputs]);
  expect(text).not.toMatch(/relay/i);
});
