import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Stage } from "../stage.ts";
import { failureShare } from "./failure-share.ts";
import type { StageAlarms } from "./stage-alarms.ts";

/** Default quotas of an account, as AWS documents them; new accounts may have lower ones. */
const defaultQuotas = { accountConcurrency: 1000, smsMonthlyDollars: 1 };

/** Percentage of the account's concurrency at which there is still time to request more. */
const concurrencyPercent = 90;
const smsPercent = 80;

/** Throttled calls within five minutes that are more than one burst. */
const throttleFloor = 10;
const throttlePercent = 1;
/** DynamoDB splits a hot partition within minutes; calls are repeated until then. */
const tableThrottles = 50;

/** Rates at which SES begins to review an account. */
const highestBounceRate = 0.05;
const highestComplaintRate = 0.001;

const fiveMinutes = Duration.minutes(5);
const highestInAnHour = { period: Duration.hours(1), statistic: Stats.MAXIMUM };

/**
 * Alarms on the limits of the account and region. The metrics are those of the account and so include its other stages,
 * which share the limits.
 */
export function watchLimits(
  alarms: StageAlarms,
  {
    accountConcurrency = defaultQuotas.accountConcurrency,
    smsMonthlyDollars = defaultQuotas.smsMonthlyDollars,
  }: Pick<Stage, "accountConcurrency" | "smsMonthlyDollars">,
): void {
  const ofLambda = (metricName: string, statistic: string) =>
    new Metric({ namespace: "AWS/Lambda", metricName, statistic, period: fiveMinutes });
  alarms.add({
    id: "function-throttles",
    metric: failureShare({
      usingMetrics: {
        throttles: ofLambda("Throttles", Stats.SUM),
        calls: ofLambda("Invocations", Stats.SUM),
      },
      failures: "FILL(throttles, 0)",
      all: "FILL(calls, 0) + FILL(throttles, 0)",
      floor: throttleFloor,
    }),
    threshold: throttlePercent,
    description:
      "Calls of functions are throttled: a function's reserved concurrency or the account's is used up.",
  });
  alarms.add({
    id: "account-concurrency",
    // Includes the concurrency reserved for single functions, which no other function can use.
    metric: ofLambda("ClaimedAccountConcurrency", Stats.MAXIMUM),
    threshold: (concurrencyPercent / 100) * accountConcurrency,
    description: `The functions of the account use or reserve ${concurrencyPercent} % of its ${accountConcurrency} instances.`,
  });
  for (const kind of ["Read", "Write"]) {
    alarms.add({
      id: `table-${kind.toLowerCase()}-throttles`,
      // Sum over all tables and indexes, instead of an alarm for each.
      metric: new MathExpression({
        expression: `SELECT SUM(${kind}ThrottleEvents) FROM "AWS/DynamoDB"`,
        usingMetrics: {},
        period: fiveMinutes,
      }),
      threshold: tableThrottles,
      description: `DynamoDB throttles ${kind.toLowerCase()}s of tables.`,
    });
  }
  const ofSes = (metricName: string) =>
    new Metric({ namespace: "AWS/SES", metricName: `Reputation.${metricName}`, ...highestInAnHour });
  alarms.add({
    id: "mail-bounces",
    metric: ofSes("BounceRate"),
    threshold: highestBounceRate,
    withoutData: "stays",
    description: "So many mails bounce that SES may suspend the account.",
  });
  alarms.add({
    id: "mail-complaints",
    metric: ofSes("ComplaintRate"),
    threshold: highestComplaintRate,
    withoutData: "stays",
    description: "So many recipients report mails as unwanted that SES may suspend the account.",
  });
  alarms.add({
    id: "sms-spending",
    metric: new Metric({ namespace: "AWS/SNS", metricName: "SMSMonthToDateSpentUSD", ...highestInAnHour }),
    threshold: (smsPercent / 100) * smsMonthlyDollars,
    withoutData: "stays",
    description: `${smsPercent} % of the $${smsMonthlyDollars} that SNS may spend on text messages this month are spent.`,
  });
}
