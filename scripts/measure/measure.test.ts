import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseStage } from "#lib/stage.ts";
import { measure } from "./measure.ts";
import { measurements } from "./measurements.ts";

const stage = parseStage("test", {
  region: "eu-central-1",
  isProtected: false,
  logRetentionDays: 7,
  memoryMegabytes: 512,
  workerConcurrency: 2,
  throttle: { requestsPerSecond: 10, burst: 10 },
  settings: { domain: "parley.org", emailSender: "no-reply@parley.org" },
});

const xml = (action: string, result: string) =>
  `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
const resource = (type: string, logical: string, physical: string) =>
  `<member><ResourceType>${type}</ResourceType><LogicalResourceId>${logical}</LogicalResourceId>` +
  `<PhysicalResourceId>${physical}</PhysicalResourceId></member>`;
const stackOf = (name: string, status: string) =>
  `<member><StackName>${name}</StackName><StackStatus>${status}</StackStatus></member>`;

/** Values by the position of a metric in a request; other metrics have none. */
const metricValues = [[3000, 4000], [120]];
const quota = (QuotaName: string, Value: number, usage: object) => ({
  QuotaName,
  Value,
  UsageMetric: { MetricNamespace: "AWS/Usage", MetricName: "CallCount", ...usage },
});

/** Answers of AWS by the action or target of a request; anything else is refused. */
const answers: Readonly<Record<string, string | ((body: string) => string)>> = {
  DescribeStacks: xml(
    "DescribeStacks",
    `<Stacks>${stackOf("parley-test-data", "UPDATE_ROLLBACK_COMPLETE")}${stackOf("parley-test-api", "UPDATE_COMPLETE")}${stackOf("parley-tests-api", "CREATE_COMPLETE")}</Stacks>`,
  ),
  ListStackResources: (body) =>
    xml(
      "ListStackResources",
      body.includes("parley-test-api")
        ? `<StackResourceSummaries>${resource("AWS::Lambda::Function", "fanoutfunctionFunction0190", "fan-out-0190")}${resource("AWS::Logs::LogGroup", "Logs0190", "logs-0190")}${resource("AWS::ApiGatewayV2::Api", "Api0190", "api0190")}</StackResourceSummaries>`
        : "",
    ),
  GetMetricData: JSON.stringify({
    MetricDataResults: metricValues.map((Values, index) => ({ Id: `m${index}`, Values })),
  }),
  ListServiceQuotas: (body) =>
    JSON.stringify({
      Quotas: body.includes('"lambda"')
        ? [
            quota("Instances", 10_000, { MetricStatisticRecommendation: "Maximum" }),
            {
              ...quota("Calls", 10, { MetricStatisticRecommendation: "Sum" }),
              Period: { PeriodValue: 1, PeriodUnit: "SECOND" },
            },
            { QuotaName: "Bytes of code", Value: 75 },
          ]
        : [],
    }),
  DescribeAlarms: JSON.stringify({
    MetricAlarms: [
      { AlarmName: "parley-test-a", StateValue: "OK" },
      { AlarmName: "parley-test-b", StateValue: "ALARM", StateReason: "3 > 2" },
    ],
  }),
  StartQuery: JSON.stringify({ queryId: "q" }),
  GetQueryResults: JSON.stringify({
    status: "Complete",
    results: [
      [
        { field: "@log", value: "logs-0190" },
        { field: "p50", value: "240" },
      ],
    ],
  }),
};

const server = createServer(async (request, response) => {
  const body = await text(request);
  const action =
    new URLSearchParams(body).get("Action") ?? String(request.headers["x-amz-target"]).split(".")[1] ?? "";
  const answer = answers[action];
  response.writeHead(answer === undefined ? 400 : 200);
  response.end(
    (typeof answer === "function" ? answer(body) : answer) ??
      "<ErrorResponse><Error><Code>Denied</Code><Message>Not allowed</Message></Error></ErrorResponse>",
  );
});
const lines: string[] = [];
let isComplete: boolean;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  isComplete = await measure(stage, (line) => lines.push(...line.split("\n")), {
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
});
afterAll(() => {
  server.close();
});

describe("the report of measurements", () => {
  it("has a section for each measurement, beginning with the highest risk", () => {
    const sections = lines.filter((line) => line.startsWith("## "));
    expect(sections).toEqual(measurements.map(({ name }) => `## ${name}`));
  });

  it("names only stacks of the stage, and marks those that were rolled back", () => {
    expect(lines).toContain("- parley-test-data: UPDATE_ROLLBACK_COMPLETE, which is not usual");
    expect(lines).toContain("- parley-test-api: UPDATE_COMPLETE");
    expect(lines.join()).not.toContain("parley-tests");
  });

  it("counts alarms, and names those that are not OK", () => {
    expect(lines).toContain("- 1 of 2 are OK");
    expect(lines).toContain("- parley-test-b: ALARM (3 > 2)");
  });

  it("has the results of queries of logs", () => {
    expect(lines).toContain("- @log logs-0190, p50 240");
  });

  it("counts throttles of functions, and requests answered with 429", () => {
    expect(lines).toContain("- fan-out-0190: Throttles 7000");
    expect(lines).toContainEqual(expect.stringMatching(/^- requests .*429: @log logs-0190/));
  });

  it("has the used share of each quota, with rates per second", () => {
    const quotas = lines.filter((line) => line.includes(" % ("));
    expect(quotas).toEqual(["- Instances: 40.0 % (4000 of 10000)", "- Calls: 20.0 % (2 of 10)"]);
  });

  it("has the latency of APIs", () => {
    expect(lines).toContain("- api0190 Latency: p50 4000.0 ms, p99 120.0 ms");
  });

  it("divides the bytes of logs by the requests", () => {
    expect(lines).toContain("- 58 bytes for each of 120 requests");
    expect(lines).toContain("- logs-0190: 100.0 %");
  });

  it("tells why something was not measured, and continues", () => {
    const refused = lines.filter((line) => line.startsWith("- not measured: "));
    expect(refused).toEqual([
      expect.stringMatching(/\(needs .*lambda:GetFunctionRecursionConfig\)$/),
      expect.stringMatching(/\(needs sns:GetSMSSandboxAccountStatus\)$/),
    ]);
    expect(isComplete).toBe(false);
  });
});
