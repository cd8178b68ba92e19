import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";

interface FailureShareProps {
  /** Sums that the expressions name. */
  readonly usingMetrics: Readonly<Record<string, IMetric>>;
  /** Metrics of which some periods have no value are to be filled: `FILL(name, 0)`. */
  readonly failures: string;
  /** What the failures are a part of. */
  readonly all: string;
  /** Fewer failures in a period are no share worth an alarm, because a few of few are much. */
  readonly floor: number;
}

/** Failures within five minutes in percent of all; 0 below the floor, and no value where there was nothing at all. */
export const failureShare = ({ usingMetrics, failures, all, floor }: FailureShareProps): MathExpression =>
  new MathExpression({
    expression: `IF((${failures}) >= ${floor}, 100 * (${failures}) / (${all}), 0)`,
    usingMetrics: { ...usingMetrics },
    period: Duration.minutes(5),
  });
