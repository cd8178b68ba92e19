import { Duration } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import { ownMetric } from "./constructs/own-metric.ts";
import type { Stage } from "./stage.ts";

/** Two runs, so that a late run raises no alarm. */
const period = Duration.minutes(10);

/** The alarm of the canary, for the monitoring stack: a run failed, or there was none. */
export const canaryAlarm = (stage: Stage) => ({
  id: "canary-failures",
  metric: ownMetric(stage, "CanaryFailures", { canary: "all" }, { period, statistic: Stats.SUM }),
  threshold: 1,
  withoutData: "fires" as const,
  description: "The canary cannot use the public API as clients do, or it has not run for ten minutes.",
});
