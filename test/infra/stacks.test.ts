import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { socketPathPatterns } from "#lib/constructs/edge-distribution.ts";
import { requestHeaders } from "#lib/cors.ts";
import { fixedParts } from "#lib/pricing/month.ts";
import { socketFunction, socketStage } from "#lib/socket-paths.ts";
import { synthesise as synthesiseStacks } from "#lib/stacks/synthesise.ts";
import { parseStage, readStage } from "#lib/stage.ts";
import { tablePlans } from "#lib/table-plans.ts";
import { variables } from "#shared/platform/config.ts";
import { metricNamespace } from "#shared/platform/metrics.ts";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { nudgeQueueOf, type QueueName, queues } from "#shared/registry/queues.ts";
import { secrets } from "#shared/registry/secrets.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
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

/**
 * CDK spends most of the time on validating the templates. That is left out for dev: its templates contain nothing that
 * those of the other stages lack, and `npm run synth` validates them.
 */
const validates = true;

const dev = synthesise(readStage("dev"), { validates: false });
const prod = synthesise(readStage("prod"), { validates });
const everythingStage = parseStage("full", {
  account: "123456789012",
  region: "eu-central-1",
  replicaRegion: "eu-west-1",
  isProtected: true,
  logRetentionDays: 30,
  memoryMegabytes: 512,
  tableKey: "managed",
  workerConcurrency: 2,
  throttle: { requestsPerSecond: 10, burst: 10 },
  queueConcurrency: { events: 40 },
  reservedConcurrency: { sessions: 30, "fan-out": 40 },
  tracing: true,
  canary: true,
  alarmEmail: "operations@parley.example",
  customDomain: {
    name: "api.parley.example",
    certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/0190a5b8",
  },
  settings: {
    corsAllowedOrigins: ["https://app.parley.example"],
    corsAllowedHeaders: ["x-proxy-session"],
    pushApplications: [
      {
        transport: "GCM",
        app: "messenger",
        arn: "arn:aws:sns:eu-central-1:123456789012:app/GCM/messenger",
      },
    ],
  },
});
const everythingOn = synthesise(everythingStage, { validates });
const atTheEdge = synthesise(
  parseStage("edge", {
    isProtected: false,
    logRetentionDays: 7,
    memoryMegabytes: 512,
    workerConcurrency: 2,
    throttle: { requestsPerSecond: 10, burst: 10 },
    distribution: {
      domainName: "chat.parley.example",
      certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/0190a5b8",
      webAclArn: "arn:aws:wafv2:us-east-1:123456789012:global/webacl/parley/0190a5b8",
    },
    settings: {
      saml: {
        serviceProvidersByHost: {
          "chat.parley.example": { spSsoUri: "https://chat.parley.example/sso" },
          "chat.company.example": { spSsoUri: "https://chat.company.example/sso" },
        },
      },
    },
  }),
  { validates },
);
const deployments = { dev, prod, everythingOn, atTheEdge };
const each = Object.entries(deployments);
const withCanary = [prod, everythingOn];
const workersOf = (deployment: Deployment) =>
  workers.filter(({ isClient }) => !isClient || withCanary.includes(deployment));

interface TableIndex {
  readonly IndexName: string;
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly Projection: object;
}

/** Actions of a function on the resources whose logical id contains a text. */
const actionsOn = (deployment: Deployment, functionName: string, resource: string) =>
  statementsOf(deployment, logicalPrefix(functionName))
    .filter((statement) => JSON.stringify(statement.Resource).includes(resource))
    .flatMap((statement) => statement.Action)
    .sort();

const routesOf = ({ ofType }: Deployment, audience: string): Resource["Properties"][] =>
  ofType("AWS::ApiGatewayV2::Route")
    .filter(([id]) => id.startsWith(`${audience}api`))
    .map(([, { Properties }]) => Properties);

const socketRoutes = ({ ofType }: Deployment) =>
  ofType("AWS::ApiGatewayV2::Route").filter(([id]) => id.startsWith("socketapi"));

describe.each(each)("the stacks of %s", (_, deployment) => {
  it("have no unexplained findings in the security checks", () => {
    const { violations } = new AwsSolutionsChecks().validateScope(deployment.app);
    expect(violations).toEqual([]);
  });

  it("have tables that are billed on demand, recoverable and encrypted with the key that the stage says, and expire items as specified", () => {
    const namesIn = (schema: TableIndex["KeySchema"]) => schema.map((key) => key.AttributeName);
    const found = deployment.ofType("AWS::DynamoDB::Table").map(([, { Properties }]) => ({
      keys: namesIn(Properties.KeySchema),
      indexes: Properties.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }: TableIndex) => [
        IndexName,
        ...namesIn(KeySchema),
        Projection,
      ]),
      billing: Properties.BillingMode,
      isRecoverable: Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
      hasKeyOfKms: Properties.SSESpecification?.SSEEnabled ?? false,
      timeToLive: Properties.TimeToLiveSpecification?.AttributeName,
    }));
    const expected = Object.values<TableSpec>(tables).map(({ partitionKey, sortKey, timeToLive, index }) => ({
      keys: sortKey === undefined ? [partitionKey] : [partitionKey, sortKey],
      indexes: index && [[index.name, index.partitionKey, index.sortKey, { ProjectionType: "KEYS_ONLY" }]],
      billing: "PAY_PER_REQUEST",
      isRecoverable: true,
      // Otherwise encrypted with a key of DynamoDB's, which costs nothing.
      hasKeyOfKms: deployment === everythingOn,
      timeToLive,
    }));
    expect(found).toEqual(expected);
  });

  it("have buckets that are private, encrypted and by TLS only, and expire objects as specified", () => {
    const found = deployment.ofType("AWS::S3::Bucket").map(([id, { Properties, DeletionPolicy }]) => ({
      id,
      isRetained: DeletionPolicy === "RetainExceptOnCreate",
      closed: Properties.PublicAccessBlockConfiguration,
      ownership: Properties.OwnershipControls.Rules[0].ObjectOwnership,
      encryption:
        Properties.BucketEncryption.ServerSideEncryptionConfiguration[0].ServerSideEncryptionByDefault
          .SSEAlgorithm,
      versions: Properties.VersioningConfiguration,
      lock: Properties.ObjectLockConfiguration,
      rules: Properties.LifecycleConfiguration.Rules,
      cors: Properties.CorsConfiguration?.CorsRules,
    }));
    const common = {
      isRetained: deployment === prod || deployment === everythingOn,
      closed: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      ownership: "BucketOwnerEnforced",
      encryption: "AES256",
      versions: { Status: "Enabled" },
    };
    expect(found).toEqual([
      {
        ...common,
        id: expect.stringMatching(/^assetsbucket/),
        lock: undefined,
        rules: [
          { Prefix: "v3/volatile/", ExpirationInDays: 28, Status: "Enabled" },
          { Prefix: "v3/expiring/", ExpirationInDays: 365, Status: "Enabled" },
          {
            Prefix: "v3/eternal-infrequent_access/",
            Transitions: [{ StorageClass: "STANDARD_IA", TransitionInDays: 30 }],
            Status: "Enabled",
          },
          {
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            ExpiredObjectDeleteMarker: true,
            NoncurrentVersionExpiration: { NoncurrentDays: 35 },
            Status: "Enabled",
          },
        ],
        cors: [expect.objectContaining({ AllowedMethods: ["GET", "HEAD", "PUT"], AllowedOrigins: ["*"] })],
      },
      {
        ...common,
        id: expect.stringMatching(/^auditbucket/),
        lock: {
          ObjectLockEnabled: "Enabled",
          Rule: { DefaultRetention: { Days: 365, Mode: "GOVERNANCE" } },
        },
        rules: [
          {
            ExpirationInDays: 366,
            NoncurrentVersionExpiration: { NoncurrentDays: 1 },
            Status: "Enabled",
          },
          {
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            ExpiredObjectDeleteMarker: true,
            Status: "Enabled",
          },
        ],
        cors: undefined,
      },
    ]);
    const policies = deployment.ofType("AWS::S3::BucketPolicy").map(([, { Properties }]) => Properties);
    expect(policies).toHaveLength(2);
    for (const { PolicyDocument } of policies)
      expect(PolicyDocument.Statement).toMatchObject([
        { Effect: "Deny", Action: "s3:*", Condition: { Bool: { "aws:SecureTransport": "false" } } },
      ]);
  });

  it("have queues that are encrypted, refuse plain HTTP, and have or are a dead-letter queue", () => {
    const all = deployment.ofType("AWS::SQS::Queue");
    expect(all).toHaveLength(2 * Object.keys(queues).length);
    const redrives = all.flatMap(([, { Properties }]) => Properties.RedrivePolicy ?? []);
    const deadLetterIds = redrives.map((redrive) => redrive.deadLetterTargetArn["Fn::GetAtt"][0]);
    for (const [id, { Properties }] of all) {
      expect(Properties.SqsManagedSseEnabled).toBe(true);
      expect(Properties.RedrivePolicy !== undefined || deadLetterIds.includes(id)).toBe(true);
    }
    const refusals = deployment
      .ofType("AWS::SQS::QueuePolicy")
      .filter(([, policy]) => JSON.stringify(policy).includes('"aws:SecureTransport":"false"'))
      .flatMap(([, { Properties }]) => Properties.Queues.map((queue: { Ref: string }) => queue.Ref));
    expect(refusals.sort()).toEqual(all.map(([id]) => id).sort());
  });

  it("grant no wildcard actions, and wildcard resources only to actions without a resource to name", () => {
    const withoutResource = [
      "ses:SendEmail",
      "sns:Publish",
      ...(deployment === everythingOn ? ["xray:PutTelemetryRecords", "xray:PutTraceSegments"] : []),
    ];
    const granted = statements(deployment).filter(({ Effect }) => Effect === "Allow");
    expect(granted.flatMap(({ Action }) => Action).filter((action) => action.includes("*"))).toEqual([]);
    const anywhere = granted.filter(({ Resource }) => list(Resource).includes("*"));
    expect(new Set(anywhere.flatMap(({ Action }) => Action))).toEqual(new Set(withoutResource));
  });

  it("send mail from one sender only, and SMS to no topic", () => {
    const all = statements(deployment);
    const sendsMail = all.filter(({ Action }) => list(Action).includes("ses:SendEmail"));
    expect(sendsMail).toHaveLength(1);
    expect(JSON.stringify(sendsMail[0]?.Condition)).toContain("ses:FromAddress");
    const denied = all.filter(({ Effect, Action }) => Effect === "Deny" && Action === "sns:Publish");
    expect(JSON.stringify(denied.map(({ Resource }) => Resource))).toContain(":sns:*:*:*");
  });

  it.each([...families, ...workersOf(deployment)])(
    "give $name the access in its manifest and no more",
    (manifest) => {
      const read = ["BatchGetItem", "ConditionCheckItem", "GetItem", "Query"].map(
        (name) => `dynamodb:${name}`,
      );
      const insert = [...read, "dynamodb:PartiQLInsert"];
      const write = ["BatchWriteItem", "DeleteItem", "PartiQLUpdate", "PutItem", "UpdateItem"].map(
        (name) => `dynamodb:${name}`,
      );
      const actions = {
        record: ["dynamodb:PutItem", "dynamodb:UpdateItem"],
        read,
        insert,
        write: [...insert, ...write],
        count: ["dynamodb:UpdateItem"],
      };
      const queries = actionsOn(deployment, manifest.name, "/index/");
      expect([...new Set(queries)]).toEqual(manifest.lists === undefined ? [] : ["dynamodb:Query"]);
      for (const table of Object.keys(tables) as TableName[]) {
        const access = manifest.tables?.[table];
        const expected = access === undefined ? [] : actions[access];
        const scan = manifest.scans?.includes(table) ? ["dynamodb:Scan"] : [];
        const list = manifest.lists?.includes(table) ? ["dynamodb:Query"] : [];
        expect(actionsOn(deployment, manifest.name, `${table.replaceAll("-", "")}table`)).toEqual(
          [...expected, ...scan, ...list].sort(),
        );
      }
      for (const bucket of Object.keys(buckets) as BucketName[]) {
        const actions = {
          read: ["s3:GetObject"],
          write: ["s3:PutObject"],
          parts: ["s3:ListMultipartUploadParts"],
          delete: ["s3:DeleteObject", "s3:AbortMultipartUpload"],
          list: ["s3:ListBucket"],
        };
        const granted = manifest.buckets?.[bucket]?.flatMap((access) => actions[access]) ?? [];
        expect(actionsOn(deployment, manifest.name, `${bucket}bucketname`)).toEqual(granted.toSorted());
      }
      for (const secret of [
        "signing-keys",
        "verification-keys",
        "code-key",
        "invitation-key",
        "guest-link-key",
        "webhook-key",
        "canary",
      ] as const) {
        const actions = actionsOn(deployment, manifest.name, `${secret.replaceAll("-", "")}secret`);
        const isRead = manifest.secrets?.includes(secret) || manifest.rotates?.includes(secret);
        expect(actions.includes("secretsmanager:GetSecretValue")).toBe(isRead ?? false);
        expect(actions.includes("secretsmanager:PutSecretValue")).toBe(
          manifest.rotates?.includes(secret) ?? false,
        );
      }
    },
  );

  it("have a separate log group for every function, and a retention for every log group", () => {
    const functions = deployment.ofType("AWS::Lambda::Function");
    expect(functions).toHaveLength(families.length + workersOf(deployment).length);
    const groups = functions.map(([, { Properties }]) => Properties.LoggingConfig.LogGroup.Ref);
    expect(new Set(groups).size).toBe(functions.length);
    for (const [, { Properties }] of deployment.ofType("AWS::Logs::LogGroup")) {
      expect(Properties.RetentionInDays).toBeGreaterThan(0);
    }
  });

  it("require IAM on every route of the internal API", () => {
    const routes = routesOf(deployment, "internal");
    expect(routes.map(({ RouteKey }) => RouteKey)).toContain("$default");
    expect(routes.filter(({ AuthorizationType }) => AuthorizationType !== "AWS_IAM")).toEqual([]);
  });

  it("have no public route into internal paths, and stay below the quota of routes", () => {
    const keys: string[] = routesOf(deployment, "public").map(({ RouteKey }) => RouteKey);
    expect(keys).toContain("$default");
    expect(keys.filter((key) => key.split("/").includes("i"))).toEqual([]);
    expect(keys.length).toBeLessThan(300);
    expect(routesOf(deployment, "internal").length).toBeLessThan(300);
  });

  it("stay well below the 500 resources that CloudFormation allows", () => {
    expect(deployment.largest).toBeLessThan(400);
  });

  it("have a worker that reports failures per message for every queue, except the operator's", () => {
    const mappings = deployment.ofType("AWS::Lambda::EventSourceMapping");
    const received = Object.keys(queues).filter((name) => nudgeQueueOf(name as QueueName) === name);
    expect(mappings).toHaveLength(received.length);
    for (const [, { Properties }] of mappings) {
      expect(Properties.FunctionResponseTypes).toEqual(["ReportBatchItemFailures"]);
      expect(Properties.BatchSize).toBeLessThanOrEqual(10);
    }
  });

  it("output the queue for Cells, to which one function may send and from which no function receives", () => {
    const { Ref: queueId } = { Ref: "", ...(deployment.outputs.CellsEventsQueueUrl?.Value ?? {}) };
    const queue = deployment.ofType("AWS::SQS::Queue").find(([id]) => id === queueId)?.[1];
    expect(queue?.Properties).toMatchObject({ FifoQueue: true, MessageRetentionPeriod: 14 * 86_400 });
    expect(actionsOn(deployment, "fan-out", queueId)).toContain("sqs:SendMessage");
  });

  it("keep the order per group in FIFO queues and their dead-letter queues, at full speed", () => {
    const fifo = deployment.ofType("AWS::SQS::Queue").filter(([, { Properties }]) => Properties.FifoQueue);
    const expected = Object.values(queues).filter(({ isFifo }) => isFifo);
    expect(fifo).toHaveLength(2 * expected.length);
    for (const [, { Properties }] of fifo) {
      expect(Properties).toMatchObject({
        DeduplicationScope: "messageGroup",
        FifoThroughputLimit: "perMessageGroupId",
      });
      expect(Properties.ContentBasedDeduplication ?? false).toBe(false);
    }
  });

  it("lead the WebSocket routes to the function of the sockets, except for pings", () => {
    const routes = socketRoutes(deployment).map(([, { Properties }]) => Properties);
    const integrations = new Map(deployment.ofType("AWS::ApiGatewayV2::Integration"));
    const targetOf = (routeKey: string) => {
      const target = JSON.stringify(routes.find(({ RouteKey }) => RouteKey === routeKey)?.Target);
      const [, id = ""] = /"Ref":"(\w+)"/.exec(target) ?? [];
      return { id, ...integrations.get(id)?.Properties };
    };
    const keys = ["$connect", "$disconnect", "ack", "ack_full_sync"];
    expect(routes.map(({ RouteKey }) => RouteKey).sort()).toEqual([...keys, "$default"].sort());
    const permissions = deployment
      .ofType("AWS::Lambda::Permission")
      .map(([, resource]) => JSON.stringify(resource));
    for (const key of keys) {
      expect(JSON.stringify(targetOf(key).IntegrationUri)).toContain(logicalPrefix(socketFunction));
      expect(permissions.filter((text) => text.includes(`/*${key}"`))).toHaveLength(1);
    }
    expect(targetOf("$default")).toMatchObject({
      IntegrationType: "MOCK",
      RequestTemplates: { "200": '{"statusCode":200}' },
      TemplateSelectionExpression: "200",
    });
    const [api] = deployment
      .ofType("AWS::ApiGatewayV2::Api")
      .filter(([, { Properties }]) => Properties.ProtocolType === "WEBSOCKET");
    expect(api?.[1].Properties.RouteSelectionExpression).toBe("$request.body.type");
  });

  it("answer pings, and nothing else that clients send, by the bare word that clients wait for", () => {
    const routes = socketRoutes(deployment);
    const [pings] = routes.filter(([, { Properties }]) => Properties.RouteKey === "$default");
    const answers = deployment.ofType("AWS::ApiGatewayV2::IntegrationResponse");
    expect(answers.map(([, { Properties }]) => Properties)).toEqual([
      {
        ApiId: expect.anything(),
        IntegrationId: { Ref: expect.stringContaining("Routedefault") },
        IntegrationResponseKey: "$default",
        ResponseTemplates: { "200": "pong" },
        TemplateSelectionExpression: "200",
      },
    ]);
    const returned = deployment.ofType("AWS::ApiGatewayV2::RouteResponse");
    expect(returned.map(([, { Properties }]) => Properties.RouteId.Ref)).toEqual([pings?.[0]]);
    const twoWay = routes.filter(([, { Properties }]) => Properties.RouteResponseSelectionExpression);
    expect(twoWay.map(([id]) => id)).toEqual([pings?.[0]]);
  });

  it("send the log's lines about frames, and only these, to one function, and retry nothing", () => {
    const filters = deployment
      .ofType("AWS::Logs::SubscriptionFilter")
      .map(([, { Properties }]) => Properties);
    expect(filters).toEqual([
      {
        DestinationArn: { "Fn::GetAtt": [expect.stringContaining(logicalPrefix("socket-floods")), "Arn"] },
        FilterPattern: '[connectionId, eventType = "MESSAGE", ...]',
        LogGroupName: { Ref: expect.stringMatching(/^socketapiAccessLogs/) },
      },
    ]);
    const [stage] = deployment
      .ofType("AWS::ApiGatewayV2::Stage")
      .filter(([, { Properties }]) => Properties.StageName === socketStage);
    const { DestinationArn, Format } = stage?.[1].Properties.AccessLogSettings ?? {};
    expect(DestinationArn).toEqual({ "Fn::GetAtt": [filters[0]?.LogGroupName.Ref, "Arn"] });
    expect(Format).toMatch(/^\$context.connectionId \$context.eventType \$context.routeKey /);
    const callers = deployment
      .ofType("AWS::Lambda::Permission")
      .filter(([, { Properties }]) => Properties.Principal === "logs.amazonaws.com");
    expect(callers.map(([, { Properties }]) => Properties.SourceArn)).toEqual([DestinationArn]);
    const [invocations] = deployment
      .ofType("AWS::Lambda::EventInvokeConfig")
      .filter(([id]) => id.startsWith(logicalPrefix("socket-floods")));
    expect(invocations?.[1].Properties).toMatchObject({ MaximumRetryAttempts: 0 });
  });

  it("log neither paths nor queries, which may hold tokens", () => {
    const formats = deployment
      .ofType("AWS::ApiGatewayV2::Stage")
      .map(([, { Properties }]) => Properties.AccessLogSettings.Format);
    expect(formats.length).toBeGreaterThan(2);
    for (const format of formats) {
      expect(format).toContain("$context.requestId");
      expect(format).not.toMatch(/query|\$context\.path/i);
    }
  });

  it("deploy the WebSocket stage after its routes, and throttle it, pings apart", () => {
    const [stage] = deployment
      .ofType("AWS::ApiGatewayV2::Stage")
      .filter(([, { Properties }]) => Properties.StageName === socketStage);
    expect(stage?.[1].Properties).toMatchObject({
      AutoDeploy: true,
      DefaultRouteSettings: {
        ThrottlingRateLimit: expect.any(Number),
        ThrottlingBurstLimit: expect.any(Number),
      },
      RouteSettings: {
        $default: { ThrottlingRateLimit: expect.any(Number), ThrottlingBurstLimit: expect.any(Number) },
      },
    });
    expect(stage?.[1].DependsOn).toEqual(expect.arrayContaining(socketRoutes(deployment).map(([id]) => id)));
  });

  it("let only functions that post reach the sockets, and no other API or stage", () => {
    const all = [...families, ...workersOf(deployment)];
    const posting = all.filter(({ posts }) => posts).map(({ name }) => logicalPrefix(name));
    const knowing = deployment
      .ofType("AWS::Lambda::Function")
      .filter(([, { Properties }]) => variables.socketsEndpoint in Properties.Environment.Variables);
    expect(posting).not.toEqual([]);
    expect(knowing.map(([id]) => id.replace(/function.*/, "function")).sort()).toEqual(posting.sort());
    for (const { name, posts = false } of all) {
      const [connections, ...more] = actionsOn(deployment, name, "@connections");
      expect([connections, more]).toEqual([posts ? "execute-api:ManageConnections" : undefined, []]);
    }
    const resources = statements(deployment)
      .filter(({ Action }) => Action === "execute-api:ManageConnections")
      .map(({ Resource }) => JSON.stringify(Resource));
    expect(new Set(resources).size).toBe(1);
    expect(resources[0]).toMatch(/execute-api.*"Ref":"socketapiApi\w+"\},"\/live\/\*\/@connections\/\*"/);
  });

  it("run the sweeper and the collector of webhooks every minute, the sealer and the verifier of the audit trail every fifteen, and the canary every five where there is one", () => {
    const schedules = deployment
      .ofType("AWS::Events::Rule")
      .flatMap(([, { Properties }]) => Properties.ScheduleExpression ?? []);
    const ofCanary = withCanary.includes(deployment) ? ["rate(5 minutes)"] : [];
    expect(schedules.toSorted()).toEqual([
      "rate(1 minute)",
      "rate(1 minute)",
      "rate(15 minutes)",
      "rate(15 minutes)",
      ...ofCanary,
    ]);
  });

  it("rotate the signing keys from the first deployment on", () => {
    const [schedule] = deployment.ofType("AWS::SecretsManager::RotationSchedule");
    expect(schedule?.[1].Properties).toMatchObject({
      RotateImmediatelyOnUpdate: true,
      RotationRules: { AutomaticallyAfterDays: 30 },
    });
    expect(JSON.stringify(schedule?.[1].Properties.SecretId)).toContain("signingkeyssecret");
  });

  it("accept bounces and complaints about their own mails from SES only", () => {
    const [rule] = deployment
      .ofType("AWS::Events::Rule")
      .filter(([, { Properties }]) => Properties.EventPattern !== undefined);
    const [configurationSet] = deployment.ofType("AWS::SES::ConfigurationSet");
    expect(rule?.[1].Properties.EventPattern).toEqual({
      source: ["aws.ses"],
      "detail-type": ["Email Bounced", "Email Complaint Received"],
      detail: { mail: { tags: { "ses:configuration-set": [{ Ref: configurationSet?.[0] }] } } },
    });
    expect(deployment.ofType("AWS::SES::EmailIdentity")[0]?.[1].Properties).toMatchObject({
      ConfigurationSetAttributes: { ConfigurationSetName: { Ref: configurationSet?.[0] } },
    });
    const [policy] = deployment
      .ofType("AWS::SQS::QueuePolicy")
      .filter(([id]) => id.startsWith("mailfeedbackqueueQueuePolicy"));
    const statements: Statement[] = policy?.[1].Properties.PolicyDocument.Statement;
    expect(statements.filter(({ Effect }) => Effect === "Allow")).toEqual([
      expect.objectContaining({
        Principal: { Service: "events.amazonaws.com" },
        Condition: { ArnEquals: { "aws:SourceArn": { "Fn::GetAtt": [rule?.[0], "Arn"] } } },
      }),
    ]);
    expect(actionsOn(deployment, "outbox-sweeper", "mailfeedback")).toEqual([]);
  });

  it("name every alarm after its stage, as the runbook does", () => {
    const stage = Object.keys(deployments).find(
      (name) => deployments[name as keyof typeof deployments] === deployment,
    );
    const alarms = deployment.ofType("AWS::CloudWatch::Alarm").map(([, { Properties }]) => Properties);
    const runbook = readFileSync(join(import.meta.dirname, "../../docs/operations/watching.md"), "utf8");
    for (const { AlarmName } of alarms) {
      const [, ofStage, id = ""] = /^parley-([a-z]+)-(.+)$/.exec(AlarmName) ?? [];
      expect.soft({ everythingOn: "full", atTheEdge: "edge" }[stage ?? ""] ?? stage).toBe(ofStage);
      const ofAny = (kind: string, names: readonly string[]) =>
        names.filter((name) => id.startsWith(`${name}-`)).map((name) => `<${kind}>${id.slice(name.length)}`);
      const ids = [
        id,
        ...ofAny("queue", Object.keys(queues)),
        ...ofAny(
          "worker",
          workers.map(({ name }) => name),
        ),
      ];
      const names = ids.map((one) => `\`${one}\``);
      expect
        .soft(
          names.filter((name) => runbook.includes(name)),
          AlarmName,
        )
        .not.toEqual([]);
    }
  });

  it("separate the stage's metrics from those of other stages, and raise an alarm when there are none", () => {
    const own = deployment
      .ofType("AWS::CloudWatch::Alarm")
      .map(([, { Properties }]) => Properties)
      .filter(({ Namespace }) => Namespace === metricNamespace);
    const stages = new Set(
      deployment
        .ofType("AWS::Lambda::Function")
        .map(([, { Properties }]) => Properties.Environment.Variables[variables.stage]),
    );
    expect(stages.size).toBe(1);
    for (const { Dimensions } of own) {
      expect(Dimensions).toContainEqual({ Name: "stage", Value: [...stages][0] });
    }
    const [stopped] = deployment
      .ofType("AWS::CloudWatch::Alarm")
      .filter(([, { Properties }]) => Properties.MetricName === "Invocations");
    expect(stopped?.[1].Properties).toMatchObject({
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
      TreatMissingData: "breaching",
    });
  });

  it("let Lambda call exactly those workers repeatedly in one chain of messages that may send to their own queue", () => {
    const recursive = deployment
      .ofType("AWS::Lambda::Function")
      .filter(([, { Properties }]) => Properties.RecursiveLoop === "Allow")
      .map(([id]) => workers.find(({ name }) => id.startsWith(logicalPrefix(name)))?.name);
    // All workers except those that always end a chain, and those that begin one.
    const others = [
      "audit-sealer",
      "audit-verifier",
      "canary",
      "key-rotation",
      "mail-delivery",
      "mail-feedback",
      "outbox-sweeper",
      "socket-floods",
      "webhook-collector",
      "websocket",
    ];
    const expected = workers.map(({ name }) => name).filter((name) => !others.includes(name));
    expect(recursive.toSorted()).toEqual(expected.toSorted());
  });

  it("do not retry scheduled runs, since the next one follows soon", () => {
    const rules = deployment
      .ofType("AWS::Events::Rule")
      .filter(([id]) => id.startsWith(logicalPrefix("outbox-sweeper")));
    const [target] = rules[0]?.[1].Properties.Targets ?? [];
    expect(target.RetryPolicy).toEqual({ MaximumRetryAttempts: 0 });
    const configs = deployment
      .ofType("AWS::Lambda::EventInvokeConfig")
      .filter(([id]) => id.startsWith(logicalPrefix("outbox-sweeper")))
      .map(([, { Properties }]) => Properties);
    expect(configs).toMatchObject([{ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 }]);
    expect(JSON.stringify(configs)).toContain(target.Arn["Fn::GetAtt"][0]);
  });
});

it("a stage has the fixed parts that the price of a month counts", () => {
  const alarmMetrics = prod.ofType("AWS::CloudWatch::Alarm").flatMap(([, { Properties }]) => {
    const metrics: { MetricStat?: object }[] | undefined = Properties.Metrics;
    return metrics === undefined
      ? [Properties]
      : metrics.filter(({ MetricStat }) => MetricStat !== undefined);
  });
  const [[, firewall] = []] = prod.ofType("AWS::WAFv2::WebACL");
  expect({
    ...fixedParts,
    alarmMetrics: alarmMetrics.length,
    dashboards: prod.ofType("AWS::CloudWatch::Dashboard").length,
    firewallRules: firewall?.Properties.Rules.length,
  }).toEqual(fixedParts);
  expect(prod.ofType("AWS::SecretsManager::Secret")).toHaveLength(Object.keys(secrets).length + 1);
});

it("a deleted stage keeps the tables, secrets and logs of prod, and leaves nothing of dev behind", () => {
  const stored = ["AWS::DynamoDB::Table", "AWS::SecretsManager::Secret", "AWS::Logs::LogGroup"];
  const policies = ({ ofType }: Deployment) =>
    new Set(
      stored
        .flatMap(ofType)
        // The secret of a distribution is worth nothing without it.
        .filter(([id]) => !id.startsWith("edgedistribution"))
        .map(([, { DeletionPolicy }]) => DeletionPolicy),
    );
  expect(policies(prod)).toEqual(new Set(["RetainExceptOnCreate"]));
  expect(policies(dev)).toEqual(new Set(["Delete"]));
  const isProtected = ({ ofType }: Deployment) =>
    ofType("AWS::DynamoDB::Table").every(
      ([, { Properties }]) => Properties.DeletionProtectionEnabled === true,
    );
  expect([isProtected(prod), isProtected(dev)]).toEqual([true, false]);
});

it("a stage tells functions the public address: that of the custom domain, or of the distribution if there is one", () => {
  const addresses = ({ ofType }: Deployment) =>
    new Set(
      ofType("AWS::Lambda::Function").map(([, { Properties }]) =>
        JSON.stringify(Properties.Environment.Variables[variables.publicUrl]),
      ),
    );
  expect(addresses(everythingOn)).toEqual(new Set(['"https://api.parley.example"']));
  expect(addresses(atTheEdge)).toEqual(new Set(['"https://chat.parley.example"']));
  expect([...addresses(dev)].join()).toContain("ApiEndpoint");
});

it("a stage outputs the address of the sockets", () => {
  expect(JSON.stringify(dev.outputs.SocketUrl?.Value)).toMatch(/"wss:\/\/".*"\/live"/);
  expect(atTheEdge.outputs.SocketUrl?.Value).toBe("wss://chat.parley.example");
});

it("a distribution passes everything through with TLS 1.2, and caches nothing", () => {
  expect(dev.ofType("AWS::CloudFront::Distribution")).toEqual([]);
  const [distribution] = atTheEdge.ofType("AWS::CloudFront::Distribution");
  const config = distribution?.[1].Properties.DistributionConfig;
  expect(config).toMatchObject({
    // The hosts of further service providers also lead here.
    Aliases: ["chat.parley.example", "chat.company.example"],
    ViewerCertificate: { MinimumProtocolVersion: "TLSv1.2_2021", SslSupportMethod: "sni-only" },
  });
  for (const { CustomOriginConfig } of config.Origins) {
    expect(CustomOriginConfig).toMatchObject({
      OriginProtocolPolicy: "https-only",
      OriginSSLProtocols: ["TLSv1.2"],
    });
  }
  const origins = new Map<string, string>(
    config.Origins.map(({ Id, DomainName }: { Id: string; DomainName: unknown }) => [
      Id,
      JSON.stringify(DomainName),
    ]),
  );
  expect(origins.get(config.DefaultCacheBehavior.TargetOriginId)).toContain("publicapi");
  expect(config.CacheBehaviors.map(({ PathPattern }: { PathPattern: string }) => PathPattern)).toEqual(
    socketPathPatterns,
  );
  for (const behavior of config.CacheBehaviors) {
    expect(origins.get(behavior.TargetOriginId)).toContain("socketapi");
  }
  for (const behavior of [config.DefaultCacheBehavior, ...config.CacheBehaviors]) {
    expect(behavior.FunctionAssociations).toMatchObject([{ EventType: "viewer-request" }]);
    expect(behavior).toMatchObject({
      ViewerProtocolPolicy: "https-only",
      AllowedMethods: expect.arrayContaining(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]),
      // The AWS managed policies CachingDisabled and AllViewerExceptHostHeader.
      CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
    });
  }
});

it("a distribution sends a secret to its origins, which the functions behind them know", () => {
  const [distribution] = atTheEdge.ofType("AWS::CloudFront::Distribution");
  const { Origins, WebACLId } = distribution?.[1].Properties.DistributionConfig ?? {};
  expect(WebACLId).toBe("arn:aws:wafv2:us-east-1:123456789012:global/webacl/parley/0190a5b8");
  const sent = new Set(
    Origins.map(
      ({
        OriginCustomHeaders: [header],
      }: {
        OriginCustomHeaders: { HeaderName: string; HeaderValue: unknown }[];
      }) => JSON.stringify(header),
    ),
  );
  expect(sent.size).toBe(1);
  const known = (deployment: Deployment) =>
    deployment.ofType("AWS::Lambda::Function").flatMap(([id, { Properties }]) => {
      const secret = Properties.Environment.Variables[variables.secret("entrance")];
      return secret === undefined ? [] : [{ id, secret: JSON.stringify(secret) }];
    });
  const reached = [...families, ...workers.filter(({ trigger }) => "sockets" in trigger)];
  expect(
    known(atTheEdge)
      .map(({ id }) => id.replace(/function.*/, "function"))
      .sort(),
  ).toEqual(reached.map(({ name }) => logicalPrefix(name)).sort());
  const [secretId] =
    atTheEdge.ofType("AWS::SecretsManager::Secret").find(([id]) => id.startsWith("edge")) ?? [];
  expect([...sent].join()).toMatch(new RegExp(`resolve:secretsmanager:.*${secretId}`));
  for (const { secret } of known(atTheEdge)) expect(JSON.parse(secret)).toEqual({ Ref: secretId });
  expect(known(dev)).toEqual([]);
});

it("a stage lets functions use restored tables in the place of their own, which stay", () => {
  const restored = "parley-prod-accounts-at-20261126T120000Z";
  const after = synthesise(
    { ...readStage("prod"), restoredTables: { accounts: restored } },
    { validates: false },
  );
  const accountsOf = ({ ofType }: Deployment) =>
    ofType("AWS::Lambda::Function").flatMap(
      ([, { Properties }]) => Properties.Environment.Variables[variables.table("accounts")] ?? [],
    );
  expect(new Set(accountsOf(after))).toEqual(new Set([restored]));
  expect(accountsOf(after)).toHaveLength(accountsOf(prod).length);
  const granted = statements(after).filter(({ Resource }) => JSON.stringify(Resource).includes(restored));
  expect(granted.length).toBeGreaterThanOrEqual(accountsOf(prod).length);
  const own = ({ ofType }: Deployment) => ofType("AWS::DynamoDB::Table").map(([id]) => id);
  expect(own(after)).toEqual(own(prod));
  expect(after.outputs.accountstablename?.Value).toBe(restored);
});

it("a stage copies the secrets that must never change into a second region, if it names one", () => {
  const replicated = ({ ofType }: Deployment) =>
    ofType("AWS::SecretsManager::Secret")
      .filter(([, { Properties }]) => Properties.ReplicaRegions?.[0].Region === "eu-west-1")
      .map(([id]) => id.replace(/secret.*/, ""))
      .sort();
  expect(replicated(everythingOn)).toEqual([
    "guestlinkkey",
    "invitationkey",
    "mlsremovalseed",
    "signingkeys",
    "verificationkeys",
    "webhookkey",
  ]);
  expect(replicated(prod)).toEqual([]);
});

describe("copies in a second region", () => {
  const backups = { region: "eu-west-1", days: 35, everyHours: 6 } as const;
  const { app, stacks } = synthesiseStacks({ ...everythingStage, backups }, { validates });
  const [copies, data, monitoring] = ["copies", "data", "monitoring"].map((stack) =>
    stacks.find(({ name }) => name === `parley-full-${stack}`),
  );
  const ofType = (stack: typeof copies, type: string): [string, Resource][] =>
    Object.entries<Resource>(stack?.template.Resources).filter(([, { Type }]) => Type === type);

  it("have no unexplained findings in the security checks", () => {
    expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([]);
  });

  it("are a stack of that region, which exists before the data", () => {
    expect(copies).toMatchObject({ region: "eu-west-1", isProtected: true });
    expect(data).toMatchObject({ region: "eu-central-1", needs: ["parley-full-copies"] });
    const policies = Object.values<Resource>(copies?.template.Resources).map(
      ({ DeletionPolicy }) => DeletionPolicy,
    );
    expect(new Set(policies)).toEqual(new Set(["RetainExceptOnCreate", undefined]));
  });

  it("are made of every table that a restore needs, and of no other", () => {
    const [[, selection] = []] = ofType(data, "AWS::Backup::BackupSelection");
    const chosen = selection?.Properties.BackupSelection.Resources.map(
      (resource: { "Fn::GetAtt": [string] }) => resource["Fn::GetAtt"][0],
    );
    const lasting = Object.entries(tablePlans).flatMap(([name, plan]) => (plan === "empty" ? [] : [name]));
    expect(chosen).toHaveLength(lasting.length);
    for (const name of lasting)
      expect(chosen).toContainEqual(expect.stringMatching(`^${name.replaceAll("-", "")}table`));
  });

  it("are made as often and kept as long as the stage says", () => {
    const [[, plan] = []] = ofType(data, "AWS::Backup::BackupPlan");
    expect(plan?.Properties.BackupPlan.BackupPlanRule).toMatchObject([
      {
        ScheduleExpression: "cron(0 */6 * * ? *)",
        Lifecycle: { DeleteAfterDays: 1 },
        CopyActions: [
          {
            DestinationBackupVaultArn: {
              "Fn::Join": [
                "",
                [
                  "arn:",
                  { Ref: "AWS::Partition" },
                  ":backup:eu-west-1:123456789012:backup-vault:parley-full-copies",
                ],
              ],
            },
            Lifecycle: { DeleteAfterDays: 35 },
          },
        ],
      },
    ]);
    const [[, vault] = []] = ofType(copies, "AWS::Backup::BackupVault");
    expect(JSON.stringify(vault?.Properties.AccessPolicy)).toContain("backup:DeleteRecoveryPoint");
  });

  it("include every file, with the retention and the lock of its bucket", () => {
    const sources = ofType(data, "AWS::S3::Bucket").map(([, { Properties }]) => Properties);
    const targets = ofType(copies, "AWS::S3::Bucket").map(([, { Properties }]) => Properties);
    for (const name of Object.keys(buckets)) {
      const bucketName = `parley-full-${name}-copy-123456789012-eu-west-1`;
      const target = targets.find(({ BucketName }) => BucketName === bucketName);
      const source = sources.find(({ ReplicationConfiguration }) =>
        JSON.stringify(ReplicationConfiguration).includes(bucketName),
      );
      expect(source.ReplicationConfiguration.Rules).toMatchObject([
        { Status: "Enabled", DeleteMarkerReplication: { Status: "Enabled" } },
      ]);
      expect(target.VersioningConfiguration).toEqual({ Status: "Enabled" });
      for (const part of ["LifecycleConfiguration", "ObjectLockConfiguration", "ObjectLockEnabled"])
        expect(target[part]).toEqual(source[part]);
    }
  });

  it("raise alarms when they fail", () => {
    const names = ofType(monitoring, "AWS::CloudWatch::Alarm").map(
      ([, { Properties }]) => Properties.AlarmName,
    );
    expect(names).toEqual(
      expect.arrayContaining([
        expect.stringContaining("backups-failed"),
        expect.stringContaining("copies-failed"),
      ]),
    );
  });

  it("are not made where the stage does not ask for them", () => {
    expect(prod.ofType("AWS::Backup::BackupPlan")).toEqual([]);
    expect(JSON.stringify(prod.ofType("AWS::S3::Bucket"))).not.toContain("ReplicationConfiguration");
  });
});

it("a stage disables API Gateway's own address of the public API if a custom domain replaces it", () => {
  const isClosed = ({ ofType }: Deployment) =>
    ofType("AWS::ApiGatewayV2::Api")
      .filter(([id]) => id.startsWith("publicapi"))
      .map(([, { Properties }]) => Properties.DisableExecuteApiEndpoint ?? false);
  expect([everythingOn, dev, atTheEdge].map(isClosed)).toEqual([[true], [false], [false]]);
});

it("a stage allows other origins on the public API only, and only those in the settings", () => {
  const cors = ({ ofType }: Deployment) =>
    ofType("AWS::ApiGatewayV2::Api").flatMap(([, { Properties }]) => Properties.CorsConfiguration ?? []);
  expect(cors(prod)).toEqual([]);
  expect(cors(everythingOn)).toEqual([
    {
      AllowCredentials: true,
      AllowHeaders: expect.arrayContaining([
        ...["asset-token", "authorization", "content-encoding", "content-type", "dpop"],
        ...["svc-client", "svc-client-version", "traceparent", "tracestate", "x-requested-with"],
        "x-proxy-session",
      ]),
      AllowMethods: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
      AllowOrigins: ["https://app.parley.example"],
      ExposeHeaders: ["location", "replay-nonce", "retry-after", "x-request-id"],
      MaxAge: 86_400,
    },
  ]);
});

it("a stage allows every header that an operation of the public API takes", () => {
  const taken = families
    .flatMap(({ routes }) => Object.values(routes))
    .filter(({ auth }) => auth !== "internal")
    .flatMap(({ headers }) => Object.entries(headers?.shape ?? {}))
    .filter(([, schema]) => schema.meta()?.setBy === undefined);
  expect(taken.length).toBeGreaterThan(0);
  const allowed = requestHeaders(parseSettings({}));
  expect(allowed).toEqual(expect.arrayContaining(taken.map(([name]) => name.toLowerCase())));
});

it("a stage reserves and limits concurrency as its file says", () => {
  const reserved = ({ ofType }: Deployment) =>
    ofType("AWS::Lambda::Function").flatMap(
      ([
        id,
        {
          Properties: { ReservedConcurrentExecutions: count },
        },
      ]) => (count === undefined ? [] : [[id.replace(/function.*/, ""), count]]),
    );
  expect(Object.fromEntries(reserved(everythingOn))).toEqual({ sessions: 30, fanout: 40 });
  expect(reserved(dev)).toEqual([]);
  const batches = everythingOn
    .ofType("AWS::Lambda::EventSourceMapping")
    .map(([id, { Properties }]) => [
      id.replace(/function.*/, ""),
      Properties.ScalingConfig.MaximumConcurrency,
    ]);
  const { fanout, botdelivery, slowbotdelivery, ...others } = Object.fromEntries(batches);
  expect(fanout).toBe(40);
  // Their workers mostly wait for strangers.
  expect([botdelivery, slowbotdelivery]).toEqual([50, 50]);
  expect(new Set(Object.values(others))).toEqual(new Set([2]));
});

it("a stage lets alarms publish to their topic", () => {
  const [policy] = prod.ofType("AWS::SNS::TopicPolicy");
  expect(JSON.stringify(policy?.[1].Properties)).toContain('"Service":"cloudwatch.amazonaws.com"');
});

it("a stage lets each function call SNS only for the configured apps, and only with the actions that it uses", () => {
  const application = "arn:aws:sns:eu-central-1:123456789012:app/GCM/messenger";
  const endpoints = "arn:aws:sns:eu-central-1:123456789012:endpoint/GCM/messenger/*";
  const callers = [...families, ...workers].flatMap(({ name }) => {
    const ofApplication = actionsOn(everythingOn, name, application);
    const ofEndpoints = actionsOn(everythingOn, name, endpoints);
    return ofApplication.length + ofEndpoints.length === 0 ? [] : [{ name, ofApplication, ofEndpoints }];
  });
  expect(callers).toEqual([
    {
      name: "push-tokens",
      ofApplication: ["sns:CreatePlatformEndpoint"],
      ofEndpoints: ["sns:SetEndpointAttributes"],
    },
    { name: "native-push", ofApplication: [], ofEndpoints: ["sns:Publish"] },
    {
      name: "push-endpoints",
      ofApplication: [],
      ofEndpoints: ["sns:DeleteEndpoint", "sns:GetEndpointAttributes"],
    },
  ]);
});

it("a stage receives SNS's reports about endpoints through a topic of its own if there are apps", () => {
  const isFeedback = ([id]: [string, unknown]) => id.startsWith("PushFeedback");
  const [[topicId]] = everythingOn.ofType("AWS::SNS::Topic").filter(isFeedback) as [[string, Resource]];
  const subscriptions = everythingOn
    .ofType("AWS::SNS::Subscription")
    .filter(([, { Properties }]) => Properties.Protocol === "sqs");
  expect(subscriptions.map(([, { Properties }]) => Properties)).toEqual([
    expect.objectContaining({ TopicArn: { Ref: topicId }, RawMessageDelivery: true }),
  ]);
  const [policy] = everythingOn
    .ofType("AWS::SQS::QueuePolicy")
    .filter(([id]) => id.startsWith("pushendpointsqueueQueuePolicy"));
  const statements: Statement[] = policy?.[1].Properties.PolicyDocument.Statement;
  expect(statements.filter(({ Effect }) => Effect === "Allow")).toEqual([
    expect.objectContaining({
      Action: "sqs:SendMessage",
      Principal: { Service: "sns.amazonaws.com" },
      Condition: { ArnEquals: { "aws:SourceArn": { Ref: topicId } } },
    }),
  ]);
  expect(dev.ofType("AWS::SNS::Topic").filter(isFeedback)).toEqual([]);
});
