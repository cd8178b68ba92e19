import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";

interface FailureShareProps {
  /** Sums that the expressions refer to. */
  readonly usingMetrics: Readonly<Record<string, IMetric>>;
  /** Fill metrics that have no value in some periods: `FILL(name, 0)`. */
  readonly failures: string;
  /** The total of which failures are a share. */
  readonly all: string;
  /**
   * Below this number of failures in a period, the share counts as 0, because two failures of three are a large share
   * but no reason for an alarm.
   */
  readonly floor: number;
}

/** Failures within five minutes as a percentage of the total: 0 below the floor, and no value if the total is 0. */
export const failureShare = ({ usingMetrics, failures, all, floor }: FailureShareProps): MathExpression =>
  new MathExpression({
    expression: `IF((${failures}) >= ${floor}, 100 * (${failures}) / (${all}), 0)`,
    usingMetrics: { ...usingMetrics },
    period: Duration.minutes(5),
  });
