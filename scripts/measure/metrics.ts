import type { Deployed, Metric } from "./deployed.ts";

const minute = 60;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const nothing = (what: string) => `no ${what} within the last day`;

/** Numbers of calls that Lambda, DynamoDB and API Gateway have refused because there were too many. */
export async function readThrottles(deployed: Deployed): Promise<string[]> {
  const functions = await deployed.named("AWS::Lambda::Function");
  const tables = await deployed.named("AWS::DynamoDB::Table");
  const metrics: Metric[] = [
    ...functions.map((FunctionName) => ({
      namespace: "AWS/Lambda",
      name: "Throttles",
      statistic: "Sum",
      dimensions: { FunctionName },
    })),
    ...tables.flatMap((TableName) =>
      ["ReadThrottleEvents", "WriteThrottleEvents"].map((name) => ({
        namespace: "AWS/DynamoDB",
        name,
        statistic: "Sum",
        dimensions: { TableName },
      })),
    ),
  ];
  const values = await deployed.valuesOf(metrics);
  const throttled = metrics.flatMap(({ name, dimensions }, index) => {
    const count = sum(values[index] ?? []);
    return count > 0 ? [`${Object.values(dimensions ?? {})}: ${name} ${count}`] : [];
  });
  // API Gateway has no metric for 429. Functions also answer 429 themselves, in log lines without a routeKey.
  const refused = await deployed.query(
    'filter ispresent(routeKey) and status = "429" | stats count(*) as refused by @log',
  );
  return [
    ...(throttled.length > 0 ? throttled : [nothing("throttles of functions and tables")]),
    ...refused.map((line) => `requests that API Gateway, or a function, answered with 429: ${line}`),
  ];
}

/** Calls of functions to DynamoDB; CloudWatch measures each kind separately. */
const tableOperations = [
  "BatchExecuteStatement",
  "BatchGetItem",
  "BatchWriteItem",
  "DeleteItem",
  "GetItem",
  "PutItem",
  "Query",
  "TransactGetItems",
  "TransactWriteItems",
  "UpdateItem",
];

/**
 * The 50th and 99th percentile of the latency of APIs and of DynamoDB's calls, and the age of the oldest messages in
 * queues.
 */
export async function readLatencies(deployed: Deployed): Promise<string[]> {
  const apis = await deployed.named("AWS::ApiGatewayV2::Api");
  const tables = await deployed.named("AWS::DynamoDB::Table");
  const queues = await deployed.named("AWS::SQS::Queue");
  const percentiles = (metric: Omit<Metric, "statistic">): Metric[] =>
    ["p50", "p99"].map((statistic) => ({ ...metric, statistic }));
  const metrics = [
    ...apis.flatMap((ApiId) =>
      ["Latency", "IntegrationLatency"].flatMap((name) =>
        percentiles({ namespace: "AWS/ApiGateway", name, dimensions: { ApiId } }),
      ),
    ),
    ...tables.flatMap((TableName) =>
      tableOperations.flatMap((Operation) =>
        percentiles({
          namespace: "AWS/DynamoDB",
          name: "SuccessfulRequestLatency",
          dimensions: { TableName, Operation },
        }),
      ),
    ),
    ...queues.map((url) => ({
      namespace: "AWS/SQS",
      name: "ApproximateAgeOfOldestMessage",
      statistic: "Maximum",
      dimensions: { QueueName: url.split("/").at(-1) ?? "" },
    })),
  ];
  const values = await deployed.valuesOf(metrics);
  const measured = metrics
    .map(({ name, statistic, dimensions }, index) => ({
      of: `${Object.values(dimensions ?? {}).join(" ")} ${name}`,
      unit: name === "ApproximateAgeOfOldestMessage" ? "s" : "ms",
      statistic,
      value: Math.max(0, ...(values[index] ?? [])),
    }))
    .filter(({ value }) => value > 0);
  const lines = Map.groupBy(measured, ({ of }) => of);
  if (lines.size === 0) return [nothing("requests")];
  return [...lines].map(
    ([of, all]) =>
      `${of}: ${all.map(({ statistic, value, unit }) => `${statistic} ${value.toFixed(1)} ${unit}`).join(", ")}`,
  );
}

/** Codes, in Service Quotas, of services whose quotas a stage can reach. */
const limitedServices = ["lambda", "dynamodb", "sqs", "apigateway", "logs", "monitoring", "ses", "sns"];

/** The account's highest use of each quota, as a share, largest first. */
export async function readQuotas(deployed: Deployed): Promise<string[]> {
  const ofServices = await Promise.all(limitedServices.map((service) => deployed.measuredQuotas(service)));
  const quotas = ofServices.flat().flatMap(({ QuotaName, Value, Period, UsageMetric }) => {
    if (UsageMetric === undefined || Value <= 0) return [];
    const isRate = UsageMetric.MetricStatisticRecommendation === "Sum" && Period?.PeriodUnit === "SECOND";
    const metric: Metric = {
      namespace: UsageMetric.MetricNamespace,
      name: UsageMetric.MetricName,
      statistic: UsageMetric.MetricStatisticRecommendation ?? "Maximum",
      dimensions: UsageMetric.MetricDimensions,
      periodSeconds: minute,
    };
    // CloudWatch has sums per minute; quotas may be per second or longer.
    const share = isRate ? (Period?.PeriodValue ?? 1) / minute : 1;
    return [{ QuotaName, Value, metric, share }];
  });
  const values = await deployed.valuesOf(quotas.map(({ metric }) => metric));
  const used = quotas
    .map(({ QuotaName, Value, share }, index) => {
      const most = (values[index] ?? []).reduce((largest, value) => Math.max(largest, value), 0) * share;
      return { QuotaName, Value, most, percent: (100 * most) / Value };
    })
    .filter(({ most }) => most > 0)
    .sort((one, other) => other.percent - one.percent);
  if (used.length === 0) return [nothing("use of a quota that CloudWatch measures")];
  return used.map(
    ({ QuotaName, Value, most, percent }) =>
      `${QuotaName}: ${percent.toFixed(1)} % (${Number(most.toFixed(1))} of ${Value})`,
  );
}

/** Bytes that CloudWatch has ingested into the logs of all functions and APIs, per request of the APIs. */
export async function readLogBytes(deployed: Deployed): Promise<string[]> {
  const groups = await deployed.named("AWS::Logs::LogGroup");
  const apis = await deployed.named("AWS::ApiGatewayV2::Api");
  const metrics: Metric[] = [
    ...groups.map((LogGroupName) => ({
      namespace: "AWS/Logs",
      name: "IncomingBytes",
      statistic: "Sum",
      dimensions: { LogGroupName },
    })),
    ...apis.map((ApiId) => ({
      namespace: "AWS/ApiGateway",
      name: "Count",
      statistic: "Sum",
      dimensions: { ApiId },
    })),
  ];
  const values = (await deployed.valuesOf(metrics)).map(sum);
  const bytes = sum(values.slice(0, groups.length));
  const requests = sum(values.slice(groups.length));
  if (requests === 0) return [nothing("requests")];
  const largest = groups
    .map((name, index) => ({ name, share: (100 * (values[index] ?? 0)) / bytes }))
    .sort((one, other) => other.share - one.share)
    .slice(0, 5);
  return [
    `${Math.round(bytes / requests)} bytes for each of ${requests} requests`,
    ...largest.filter(({ share }) => share > 0).map(({ name, share }) => `${name}: ${share.toFixed(1)} %`),
  ];
}
