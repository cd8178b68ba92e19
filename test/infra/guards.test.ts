import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { placeholdersOf, refusePlaceholders } from "#lib/placeholders.ts";
import { DataStack } from "#lib/stacks/data-stack.ts";
import { concurrencyOf, parseStage, readStage } from "#lib/stage.ts";
import { variables } from "#shared/platform/config.ts";
import { type Deployment, logicalPrefix, statementsOf, synthesise } from "./deployment.ts";

const prod = synthesise(readStage("prod"), { validates: false });
const dev = synthesise(readStage("dev"), { validates: false });
const smallest = {
  isProtected: true,
  logRetentionDays: 7,
  memoryMegabytes: 512,
  workerConcurrency: 2,
  throttle: { requestsPerSecond: 10, burst: 10 },
};
const parse = (fields: object) => parseStage("test", { ...smallest, ...fields });

const only = ({ ofType }: Deployment, type: string) => {
  const [found, ...more] = ofType(type);
  expect(more).toEqual([]);
  return found?.[1].Properties;
};

describe("the web ACL of prod", () => {
  const { Rules, Scope, DefaultAction } = only(prod, "AWS::WAFv2::WebACL");

  it("limits the requests of each address, and those with passwords and codes more strictly", () => {
    expect({ Scope, DefaultAction }).toEqual({ Scope: "CLOUDFRONT", DefaultAction: { Allow: {} } });
    const limits = Rules.map(({ Statement: { RateBasedStatement: statement }, Action }: never) => ({
      ...(statement as object),
      status: (Action as { Block: { CustomResponse: { ResponseCode: number } } }).Block.CustomResponse
        .ResponseCode,
    }));
    const every = { AggregateKeyType: "IP", EvaluationWindowSec: 300, status: 429 };
    expect(limits).toMatchObject([
      { ...every, Limit: 500 },
      { ...every, Limit: 20_000 },
    ]);
    expect(limits[1]).not.toHaveProperty("ScopeDownStatement");
  });

  it.each([
    ["/login", true],
    ["/v8/login", true],
    ["/register", true],
    ["/v12/activate/send", true],
    ["/password-reset/complete", true],
    ["/provider/login", true],
    ["/self", false],
    ["/v8/conversations/login", false],
    ["/loginx", false],
  ])("counts %s among those with passwords and codes: %s", (path, isCounted) => {
    const { RegexString } = Rules[0].Statement.RateBasedStatement.ScopeDownStatement.RegexMatchStatement;
    expect(new RegExp(RegexString).test(path)).toBe(isCounted);
  });

  it("keeps no samples of requests, whose queries may hold tokens", () => {
    for (const { VisibilityConfig } of Rules) expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
  });

  it("is that of the distribution, though in another region", () => {
    const { WebACLId } = only(prod, "AWS::CloudFront::Distribution").DistributionConfig;
    expect(WebACLId).toEqual({
      "Fn::GetStackOutput": {
        StackName: "parley-prod-edge",
        OutputName: "WebAclArn",
        Region: "us-east-1",
      },
    });
    expect(prod.outputs).toHaveProperty("WebAclArn");
  });
});

describe("the guards of a stage", () => {
  it("mail before the month costs more than the budget", () => {
    const { Budget, NotificationsWithSubscribers } = only(prod, "AWS::Budgets::Budget");
    expect(Budget).toMatchObject({ BudgetLimit: { Amount: 2000, Unit: "USD" }, TimeUnit: "MONTHLY" });
    expect(NotificationsWithSubscribers).toMatchObject(
      ["ACTUAL", "FORECASTED"].map((NotificationType) => ({
        Notification: { NotificationType },
        Subscribers: [{ SubscriptionType: "EMAIL", Address: "operations@parley.example" }],
      })),
    );
    expect(dev.ofType("AWS::Budgets::Budget")).toEqual([]);
    expect(() => parse({ monthlyBudgetDollars: 10 })).toThrow(/needs alarmEmail/);
  });

  it("limit the throughput of each table", () => {
    const maxima = ({ ofType }: Deployment) =>
      new Set(
        ofType("AWS::DynamoDB::Table").map(([, { Properties }]) =>
          JSON.stringify(Properties.OnDemandThroughput ?? {}),
        ),
      );
    expect([...maxima(prod)].map((one) => JSON.parse(one))).toEqual([
      { MaxReadRequestUnits: 12_000, MaxWriteRequestUnits: 4000 },
    ]);
    expect([...maxima(dev)]).toEqual(["{}"]);
  });

  it("limit single tables differently", () => {
    const stage = parse({
      tableMaxima: {
        readUnits: 9,
        writeUnits: 5,
        tables: { sockets: { writeUnits: 7 }, "rate-limits": { readUnits: 8 } },
      },
    });
    const template = Template.fromStack(
      new DataStack(new App({ builtinCloudFormationValidation: false }), "data", {
        stage,
        copies: undefined,
      }),
    );
    const found = Object.entries(template.findResources("AWS::DynamoDB::Table")).map(
      ([id, { Properties }]) => [id.replace(/table[\dA-F]{8}$/, ""), Properties.OnDemandThroughput],
    );
    expect(Object.fromEntries(found)).toMatchObject({
      sockets: { MaxReadRequestUnits: 9, MaxWriteRequestUnits: 7 },
      ratelimits: { MaxReadRequestUnits: 8, MaxWriteRequestUnits: 5 },
      search: { MaxReadRequestUnits: 9, MaxWriteRequestUnits: 5 },
    });
  });

  it("leave room for requests when all queues are busy, or say what to change", () => {
    const { total, ...parts } = concurrencyOf(readStage("prod"));
    expect(parts.reserved + parts.requests).toBe(375);
    expect(total).toBe(parts.reserved + parts.requests + parts.workers);
    expect(total).toBeLessThanOrEqual(1000);
    const fields = { reservedConcurrency: { sessions: 30 } };
    const least = concurrencyOf(parse(fields)).total;
    expect(parse({ ...fields, accountConcurrency: least })).toMatchObject({ accountConcurrency: least });
    expect(() => parse({ ...fields, accountConcurrency: least - 1 })).toThrow(
      new RegExp(`at least ${least}: 30 instances are reserved .* ask AWS for more\\s.*accountConcurrency`),
    );
  });

  it("count a worker with a reservation once", () => {
    const before = concurrencyOf(parse({}));
    const after = concurrencyOf(parse({ reservedConcurrency: { "fan-out": 5 } }));
    expect([after.workers, after.total]).toEqual([before.workers - 2, before.total + 3]);
  });

  it("have rules by client in one place only", () => {
    const distribution = {
      domainName: "chat.parley.org",
      certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/0190a5b8",
      rateRules: { requests: 1000, credentialRequests: 100 },
    };
    const webAclArn = "arn:aws:wafv2:us-east-1:123456789012:global/webacl/parley/0190a5b8";
    expect(parse({ distribution })).toMatchObject({ distribution });
    expect(() => parse({ distribution: { ...distribution, webAclArn } })).toThrow(/webAclArn/);
    const rateRules = { requests: 100, credentialRequests: 200 };
    expect(() => parse({ distribution: { ...distribution, rateRules } })).toThrow(
      /at most the value of requests/,
    );
  });
});

describe("a stage file that was only copied", () => {
  it("is refused before a deployment, with each placeholder", () => {
    expect(placeholdersOf(readStage("prod")).map((one) => one.split(":")[0])).toEqual([
      "account",
      "alarmEmail",
      "distribution.domainName",
      "distribution.certificateArn",
      "settings.domain",
      "settings.emailSender",
    ]);
    expect(() => refusePlaceholders(readStage("prod"))).toThrow(
      /^stages\/prod.json has placeholders; set them first:\n {2}account: 000000000000\n/,
    );
  });

  it("may be deployed as a stage that nothing protects", () => {
    expect(() => refusePlaceholders(readStage("dev"))).not.toThrow();
  });

  it("is accepted once everything is set", () => {
    const settings = { domain: "chat.parley.org", emailSender: "no-reply@parley.org" };
    expect(placeholdersOf(parse({ account: "123456789012", settings }))).toEqual([]);
  });
});

describe("the canary", () => {
  it("may read its secret and write its log, and nothing else", () => {
    const statements = statementsOf(prod, logicalPrefix("canary"));
    expect(statements.flatMap(({ Action }) => Action).toSorted()).toEqual([
      "logs:CreateLogStream",
      "logs:PutLogEvents",
      "secretsmanager:GetSecretValue",
    ]);
    const [secret] = statements.filter(({ Action }) => Action === "secretsmanager:GetSecretValue");
    expect(JSON.stringify(secret?.Resource)).toContain("canarysecret");
  });

  it("uses the addresses of clients", () => {
    const [[, canary] = []] = prod
      .ofType("AWS::Lambda::Function")
      .filter(([id]) => id.startsWith(logicalPrefix("canary")));
    expect(canary?.Properties.Environment.Variables).toMatchObject({
      [variables.publicUrl]: "https://parley.example",
      [variables.socketUrl]: "wss://parley.example",
    });
    const others = prod
      .ofType("AWS::Lambda::Function")
      .filter(([, { Properties }]) => variables.socketUrl in Properties.Environment.Variables);
    expect(others).toHaveLength(1);
  });

  it("raises an alarm also when it does not run", () => {
    const [[, alarm] = []] = prod
      .ofType("AWS::CloudWatch::Alarm")
      .filter(([, { Properties }]) => Properties.AlarmName === "parley-prod-canary-failures");
    expect(alarm?.Properties).toMatchObject({
      MetricName: "CanaryFailures",
      Threshold: 1,
      Period: 600,
      TreatMissingData: "breaching",
    });
  });
});
