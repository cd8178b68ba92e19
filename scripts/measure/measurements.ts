import { GetFunctionRecursionConfigCommand } from "@aws-sdk/client-lambda";
import { GetSMSSandboxAccountStatusCommand } from "@aws-sdk/client-sns";
import { deployedWorkers } from "#lib/deployed-workers.ts";
import { mayRecur } from "#lib/recursive-workers.ts";
import type { Deployed } from "./deployed.ts";
import { readLatencies, readLogBytes, readQuotas, readThrottles } from "./metrics.ts";

/** A value that can be read from a stage on AWS without changing it. */
export interface Measurement {
  readonly name: string;
  /** The harm if AWS differs from the expectation. */
  readonly risk: string;
  /** Permissions that it needs. */
  readonly needs: string;
  /** @returns the results, a line each */
  run(deployed: Deployed): Promise<string[]>;
}

/** States after a successful deployment. */
const isUsual = (status: string) => status === "CREATE_COMPLETE" || status === "UPDATE_COMPLETE";

/** The most harmful first. `npm run measure` runs them in this order. */
export const measurements: readonly Measurement[] = [
  {
    name: "stacks",
    risk: "A stack that was rolled back has old functions, while others are new.",
    needs: "cloudformation:DescribeStacks",
    async run(deployed) {
      const stacks = await deployed.stacks();
      return stacks.map(
        ({ name, status }) => `${name}: ${status}${isUsual(status) ? "" : ", which is not usual"}`,
      );
    },
  },
  {
    name: "recursion",
    risk: "Lambda drops a message after 16 passes, and large teams get no events.",
    needs: "cloudformation:ListStackResources, lambda:GetFunctionRecursionConfig",
    async run(deployed) {
      const names = deployedWorkers(deployed.stage)
        .map(({ name }) => name)
        .filter(mayRecur);
      return Promise.all(
        names.map(async (name) => {
          const FunctionName = await deployed.functionOf(name);
          const { RecursiveLoop } = await deployed.clients.lambda.send(
            new GetFunctionRecursionConfigCommand({ FunctionName }),
          );
          return `${name}: ${RecursiveLoop}${RecursiveLoop === "Allow" ? "" : ", Allow expected"}`;
        }),
      );
    },
  },
  {
    name: "alarms",
    risk: "An alarm without data never fires; one that always fires hides others.",
    needs: "cloudwatch:DescribeAlarms",
    async run(deployed) {
      const alarms = await deployed.alarms();
      if (alarms.length === 0) throw new Error("the stage has no alarms here");
      const notOk = alarms.filter(({ StateValue }) => StateValue !== "OK");
      return [
        `${alarms.length - notOk.length} of ${alarms.length} are OK`,
        ...notOk.map(
          ({ AlarmName, StateValue, StateReason }) => `${AlarmName}: ${StateValue} (${StateReason})`,
        ),
      ];
    },
  },
  {
    name: "throttles",
    risk: "A throttled table or API refuses users, and a throttled worker is late with everything that it handles.",
    needs:
      "cloudformation:DescribeStacks, cloudformation:ListStackResources, cloudwatch:GetMetricData, logs:StartQuery, logs:GetQueryResults",
    run: readThrottles,
  },
  {
    name: "quotas in use",
    risk: "Beyond a quota of the account, AWS refuses the calls of all stages in it.",
    needs: "servicequotas:ListServiceQuotas, cloudwatch:GetMetricData",
    run: readQuotas,
  },
  {
    name: "time-outs",
    risk: "Two seconds may be too short for `TransactWriteItems` of 25 items and more, or for `SendEmail`.",
    needs: "logs:StartQuery, logs:GetQueryResults",
    run: (deployed) =>
      deployed.query(
        "filter @message like /TimeoutError/ | stats count(*) as timeouts by @log | sort timeouts desc",
      ),
  },
  {
    name: "memory",
    risk: "A function that runs out of memory loses its batch.",
    needs: "logs:StartQuery, logs:GetQueryResults",
    run: (deployed) =>
      deployed.query(
        'filter @type = "REPORT" | stats max(@maxMemoryUsed / @memorySize * 100) as percent by @log | sort percent desc | limit 10',
      ),
  },
  {
    name: "duration",
    risk: "A request that takes longer than 15 seconds fails.",
    needs: "logs:StartQuery, logs:GetQueryResults",
    run: (deployed) =>
      deployed.query(
        'filter @type = "REPORT" | stats count(*) as calls, pct(@duration, 50) as p50, pct(@duration, 99) as p99, max(@duration) as longest by @log | sort p99 desc | limit 20',
      ),
  },
  {
    name: "latency by service",
    risk: "Calls slower than the 4 ms that the model of prices assumes make every request slower and dearer, and old messages are late events.",
    needs: "cloudformation:DescribeStacks, cloudformation:ListStackResources, cloudwatch:GetMetricData",
    run: readLatencies,
  },
  {
    name: "starts",
    risk: "Cold starts slower than those of `npm run bench` make the first requests late.",
    needs: "logs:StartQuery, logs:GetQueryResults",
    run: (deployed) =>
      deployed.query(
        'filter @type = "REPORT" and ispresent(@initDuration) | stats count(*) as starts, pct(@initDuration, 50) as p50, max(@initDuration) as longest by @log | sort p50 desc | limit 20',
      ),
  },
  {
    name: "log bytes per request",
    risk: "Lines longer than the model of prices assumes can cost more than the requests.",
    needs: "cloudformation:DescribeStacks, cloudformation:ListStackResources, cloudwatch:GetMetricData",
    run: readLogBytes,
  },
  {
    name: "SMS sandbox",
    risk: "In the sandbox, SNS sends no code to a number that it does not know.",
    needs: "sns:GetSMSSandboxAccountStatus",
    async run({ clients }) {
      const { IsInSandbox } = await clients.sns.send(new GetSMSSandboxAccountStatusCommand({}));
      return [IsInSandbox ? "in the sandbox" : "out of the sandbox"];
    },
  },
];
