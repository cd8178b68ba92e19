import { describe, expect, it } from "vitest";
import { deployedWorkers } from "#lib/deployed-workers.ts";
import { guardAlarms } from "#lib/guarded-deployment.ts";
import { parseStage, readStage } from "#lib/stage.ts";
import { nudgeQueueOf, type QueueName, type QueueSpec, queues } from "#shared/registry/queues.ts";
import { type Deployment, synthesise } from "./deployment.ts";

const stage = readStage("dev");
const dev = synthesise(stage, { validates: false });
const withLimits = synthesise(
  parseStage("limits", {
    isProtected: false,
    logRetentionDays: 7,
    memoryMegabytes: 512,
    workerConcurrency: 2,
    throttle: { requestsPerSecond: 10, burst: 10 },
    alarmEmail: "operations@parley.example",
    accountConcurrency: 400,
    canary: true,
    smsMonthlyDollars: 50,
  }),
  { validates: false },
);

interface AlarmMetric {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: {
      readonly Namespace: string;
      readonly MetricName: string;
      readonly Dimensions?: { Name: string; Value: unknown }[];
    };
    readonly Period: number;
    readonly Stat: string;
  };
  readonly Period?: number;
}

const alarmsOf = ({ ofType }: Deployment) =>
  new Map(
    ofType("AWS::CloudWatch::Alarm").map(([, { Properties }]) => [
      Properties.AlarmName.replace(/^parley-[a-z]+-/, ""),
      Properties,
    ]),
  );
const alarms = alarmsOf(dev);
const alarm = (id: string) => alarms.get(id) ?? expect.fail(`There is no alarm ${id}`);
const metricsOf = (id: string): AlarmMetric[] => alarm(id).Metrics;

/** The value of an alarm's expression for given sums; a missing one counts as a metric without data. */
function evaluate(id: string, sums: Readonly<Record<string, number>>): number {
  const [{ Expression = "" } = {}] = metricsOf(id).filter((one) => one.Expression !== undefined);
  const named = metricsOf(id).filter(({ MetricStat }) => MetricStat !== undefined);
  const values = named.map(({ Id }) => sums[Id] ?? Number.NaN);
  const script = Expression.replaceAll("IF(", "when(").replaceAll("FILL(", "fill(");
  const run = new Function("when", "fill", ...named.map(({ Id }) => Id), `return ${script};`);
  return run(
    (holds: boolean, value: number, otherwise: number) => (holds ? value : otherwise),
    (value: number, instead: number) => (Number.isNaN(value) ? instead : value),
    ...values,
  );
}

/** Whether an alarm fires when five minutes had these sums. */
const fires = (id: string, sums: Readonly<Record<string, number>>) =>
  evaluate(id, sums) >= alarm(id).Threshold;

const received = Object.keys(queues).filter((name) => nudgeQueueOf(name as QueueName) === name);

describe("the alarms of a stage", () => {
  it("watch every queue, the outbox, every API and every worker", () => {
    const expected = [
      ...Object.keys(queues).flatMap((name) => [`${name}-dead-letters`, `${name}-queue-age`]),
      ...received.map((name) => `${name}-failed-items`),
      ...["outbox-age", "parked-messages"],
      ...["public", "internal"].flatMap((name) => [
        `${name}-api-server-errors`,
        `${name}-api-too-many-requests`,
      ]),
      "socket-api-server-errors",
      ...deployedWorkers(stage).map(({ name }) => `${name}-errors`),
      ...deployedWorkers(stage).flatMap(({ name, trigger }) =>
        "everySeconds" in trigger ? [`${name}-stopped`] : [],
      ),
      ...["slow-deliveries", "failed-posts", "failed-pushes"],
      ...["mails-refused", "unreadable-items", "paused-operations", "flooded-sockets"],
      ...["function-throttles", "account-concurrency", "table-read-throttles", "table-write-throttles"],
      ...["mail-bounces", "mail-complaints", "sms-spending"],
    ];
    expect([...alarms.keys()].sort()).toEqual(expected.sort());
  });

  it("use no more metrics than CloudWatch allows, all over the same five minutes", () => {
    for (const [id, { Metrics = [] }] of alarms) {
      const stats = (Metrics as AlarmMetric[]).flatMap(({ MetricStat }) => MetricStat ?? []);
      expect.soft(stats.length, id).toBeLessThanOrEqual(10);
      for (const { Period } of stats) expect.soft(Period, id).toBe(300);
    }
  });

  it("stay quiet without data, unless something must report again and again", () => {
    const byId = [...alarms].map(([id, { TreatMissingData }]) => [id, TreatMissingData] as const);
    const those = (treatment: string) => byId.filter(([, one]) => one === treatment).map(([id]) => id);
    expect(those("breaching").sort()).toEqual([
      "audit-sealer-stopped",
      "audit-verifier-stopped",
      "outbox-sweeper-stopped",
      "webhook-collector-stopped",
    ]);
    expect(those("ignore").sort()).toEqual(["mail-bounces", "mail-complaints", "sms-spending"]);
    expect(those("missing")).toEqual([]);
  });

  it("report their end where they report their beginning", () => {
    for (const { AlarmActions, OKActions } of alarmsOf(withLimits).values()) {
      expect(AlarmActions).toHaveLength(1);
      expect(OKActions).toEqual(AlarmActions);
    }
    for (const { AlarmActions, OKActions } of alarms.values()) {
      expect([AlarmActions, OKActions]).toEqual([undefined, undefined]);
    }
  });
});

describe("an alarm on server errors of an API", () => {
  const id = "public-api-server-errors";

  it("fires when requests fail, be they few of a quiet night or a small share of many", () => {
    expect(fires(id, { errors: 5, requests: 6 })).toBe(true);
    expect(fires(id, { errors: 500, requests: 100_000 })).toBe(true);
  });

  it("does not fire for a few unlucky requests, whether of few or of many", () => {
    expect(fires(id, { errors: 4, requests: 4 })).toBe(false);
    expect(fires(id, { errors: 100, requests: 100_000 })).toBe(false);
  });

  it("does not count answers that report something as switched off", () => {
    expect(fires(id, { errors: 50, deliberate: 48, requests: 100 })).toBe(false);
    expect(fires(id, { errors: 50, deliberate: 20, requests: 100 })).toBe(true);
    for (const audience of ["public", "internal"]) {
      const deliberate = metricsOf(`${audience}-api-server-errors`).find(({ Id }) => Id === "deliberate");
      expect(deliberate?.MetricStat?.Metric).toEqual({
        Namespace: "Parley",
        MetricName: "DeliberateServerErrors",
        Dimensions: [
          { Name: "audience", Value: audience },
          { Name: "stage", Value: "dev" },
        ],
      });
    }
  });
});

describe("an alarm on refusals of an API", () => {
  it.each(["public", "internal"])("fires when a share of the answers of the %s API are 429", (audience) => {
    const id = `${audience}-api-too-many-requests`;
    expect(fires(id, { refused: 60, requests: 1000 })).toBe(true);
    expect(fires(id, { refused: 40, requests: 100 })).toBe(false);
    expect(fires(id, { requests: 100 })).toBe(false);
  });

  it("counts refusals in the access log, which also has those of API Gateway itself", () => {
    const [filter] = dev
      .ofType("AWS::Logs::MetricFilter")
      .filter(([id]) => id.startsWith("publicapi"))
      .map(([, { Properties }]) => Properties);
    expect(filter.FilterPattern).toBe('{ $.status = "429" }');
    const [transformation] = filter.MetricTransformations;
    const counted = metricsOf("public-api-too-many-requests").find(({ Id }) => Id === "refused");
    expect(counted?.MetricStat?.Metric).toEqual({
      Namespace: transformation.MetricNamespace,
      MetricName: transformation.MetricName,
    });
    const [stage] = dev
      .ofType("AWS::ApiGatewayV2::Stage")
      .filter(([id]) => id.startsWith("publicapi"))
      .map(([, { Properties }]) => Properties);
    expect(stage.AccessLogSettings.DestinationArn["Fn::GetAtt"][0]).toBe(filter.LogGroupName.Ref);
    expect(JSON.parse(stage.AccessLogSettings.Format).status).toBe("$context.status");
  });

  it("leads to callers of the internal API, whom its access log names", () => {
    const [stage] = dev
      .ofType("AWS::ApiGatewayV2::Stage")
      .filter(([id]) => id.startsWith("internalapi"))
      .map(([, { Properties }]) => Properties);
    expect(JSON.parse(stage.AccessLogSettings.Format).caller).toBe("$context.identity.userArn");
  });
});

describe("an alarm on the WebSocket API", () => {
  const id = "socket-api-server-errors";

  it("fires for failures that the function answers, that crash it, or that keep API Gateway from calling it", () => {
    expect(fires(id, { failed: 10, calls: 100 })).toBe(true);
    expect(fires(id, { crashes: 10, calls: 100 })).toBe(true);
    expect(fires(id, { uncalled: 10 })).toBe(true);
  });

  it("does not fire for a few, nor without any", () => {
    expect(fires(id, { failed: 2, calls: 2 })).toBe(false);
    expect(fires(id, { failed: 10, calls: 10_000 })).toBe(false);
    expect(fires(id, { calls: 100 })).toBe(false);
  });
});

describe("an alarm on failed items", () => {
  it.each(received)("fires when the worker of the queue %s returns a share of its messages", (name) => {
    const id = `${name}-failed-items`;
    expect(fires(id, { failed: 30, received: 40 })).toBe(true);
    expect(fires(id, { failed: 30, received: 10_000 })).toBe(false);
    expect(fires(id, { received: 10_000 })).toBe(false);
    const failed = metricsOf(id).find((one) => one.Id === "failed");
    expect(failed?.MetricStat?.Metric.Dimensions).toContainEqual({ Name: "queue", Value: name });
  });

  it("does not fire for one message that fails again and again", () => {
    // Pauses of two seconds more each time: the queue hands it out 17 times in five minutes.
    expect(fires("events-failed-items", { failed: 17, received: 17 })).toBe(false);
  });
});

describe("an alarm on the age of a queue's messages", () => {
  it.each(Object.entries<QueueSpec>(queues))(
    "allows for the longest delay of a message and one attempt at it: %s",
    (name, { deliveryDelaySeconds = 0, longestDelaySeconds = 0, visibilityTimeoutSeconds }) => {
      const longest = Math.max(deliveryDelaySeconds, longestDelaySeconds) + visibilityTimeoutSeconds;
      expect(alarm(`${name}-queue-age`).Threshold).toBeGreaterThanOrEqual(longest);
    },
  );
});

describe("an alarm on slow deliveries", () => {
  it("fires when many take seconds, but not for a few stragglers", () => {
    expect(fires("slow-deliveries", { batches: 100, time: 8000 })).toBe(true);
    expect(fires("slow-deliveries", { batches: 100, time: 900 })).toBe(false);
    expect(fires("slow-deliveries", { batches: 3, time: 60_000 })).toBe(false);
    expect(alarm("slow-deliveries").EvaluationPeriods).toBe(2);
  });
});

describe("alarms on limits of the account", () => {
  it("fire before the limits that the stage names, or AWS's defaults, are reached", () => {
    const thresholds = (deployment: Deployment) =>
      ["account-concurrency", "sms-spending"].map((id) => alarmsOf(deployment).get(id)?.Threshold);
    expect(thresholds(withLimits)).toEqual([360, 40]);
    expect(thresholds(dev)).toEqual([900, 0.8]);
  });

  it("are about the whole account, which shares its limits", () => {
    for (const id of ["account-concurrency", "sms-spending", "mail-bounces", "mail-complaints"]) {
      expect(alarm(id)).not.toHaveProperty("Dimensions");
    }
    for (const { MetricStat } of metricsOf("function-throttles").filter((one) => one.MetricStat)) {
      expect(MetricStat?.Metric).not.toHaveProperty("Dimensions");
    }
    expect(metricsOf("table-write-throttles")).toMatchObject([
      { Expression: 'SELECT SUM(WriteThrottleEvents) FROM "AWS/DynamoDB"', Period: 300 },
    ]);
  });
});

describe("the alarms that guard a deployment", () => {
  const guards = guardAlarms(stage);

  it.each([
    ["a canary", true, withLimits],
    ["none", false, dev],
  ])("exist, and are no more than CloudFormation accepts, with %s", (_, canary, deployment) => {
    const ofStage = guardAlarms({ ...stage, canary });
    expect([...alarmsOf(deployment).keys()]).toEqual(expect.arrayContaining(ofStage));
    expect(ofStage.length).toBeLessThanOrEqual(5);
    expect(ofStage.includes("canary-failures")).toBe(canary);
  });

  it("see failures that functions answer or return, and not only those that end a run", () => {
    for (const id of guards) {
      const counted = metricsOf(id).flatMap(({ MetricStat }) => MetricStat?.Metric.MetricName ?? []);
      expect(counted.some((name) => ["5xx", "FailedItems", "FailedSocketRequests"].includes(name))).toBe(
        true,
      );
    }
  });
});

describe("the saved query for a request", () => {
  const [query] = dev.ofType("AWS::Logs::QueryDefinition").map(([, { Properties }]) => Properties);
  const groups: string[] = query.LogGroupNames.map(({ Ref }: { Ref: string }) => Ref);

  it("reads the logs of the APIs and of every function on the way to a socket, and no more than CloudWatch allows", () => {
    const expected = ["publicapi", "internalapi", "conversations", "fanout", "delivery", "botdelivery"];
    for (const prefix of [...expected, "nativepush", "maildelivery", "teamjobs"]) {
      expect.soft(groups.filter((id) => id.startsWith(prefix)).length, prefix).toBeGreaterThan(0);
    }
    expect(groups.length).toBeLessThanOrEqual(50);
    expect(new Set(groups).size).toBe(groups.length);
  });

  it("finds lines by an id, also within a list of ids, in the order of time", () => {
    expect(query.Name).toBe("parley/dev/request");
    expect(query.QueryString).toContain('filter @message like "REQUEST-ID"');
    expect(query.QueryString).toContain("sort @timestamp asc");
  });
});
