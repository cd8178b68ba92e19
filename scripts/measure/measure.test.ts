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

/** What AWS answers, by the action or target of a request; anything else is refused. */
const answers: Readonly<Record<string, string>> = {
  DescribeStacks: xml(
    "DescribeStacks",
    `<Stacks>${stackOf("parley-test-data", "UPDATE_ROLLBACK_COMPLETE")}${stackOf("parley-test-api", "UPDATE_COMPLETE")}${stackOf("parley-tests-api", "CREATE_COMPLETE")}</Stacks>`,
  ),
  ListStackResources: xml(
    "ListStackResources",
    `<StackResourceSummaries>${resource("AWS::Lambda::Function", "fanoutfunctionFunction0190", "fan-out-0190")}${resource("AWS::Logs::LogGroup", "Logs0190", "logs-0190")}</StackResourceSummaries>`,
  ),
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
    answer ??
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

  it("names stacks of the stage alone, and says which were rolled back", () => {
    expect(lines).toContain("- parley-test-data: UPDATE_ROLLBACK_COMPLETE, which is not usual");
    expect(lines).toContain("- parley-test-api: UPDATE_COMPLETE");
    expect(lines.join()).not.toContain("parley-tests");
  });

  it("counts alarms, and names those that are not OK", () => {
    expect(lines).toContain("- 1 of 2 are OK");
    expect(lines).toContain("- parley-test-b: ALARM (3 > 2)");
  });

  it("has what queries of logs find", () => {
    expect(lines).toContain("- @log logs-0190, p50 240");
  });

  it("says why something was not measured, and goes on", () => {
    const refused = lines.filter((line) => line.startsWith("- not measured: "));
    expect(refused).toEqual([
      expect.stringMatching(/\(needs .*lambda:GetFunctionRecursionConfig\)$/),
      expect.stringMatching(/\(needs sns:GetSMSSandboxAccountStatus\)$/),
    ]);
    expect(isComplete).toBe(false);
  });
});
