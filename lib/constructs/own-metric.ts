import { Metric, type MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import {
  type MetricDimensions,
  type MetricName,
  type MetricSubject,
  metricNamespace,
} from "#shared/platform/metrics.ts";
import type { Stage } from "../stage.ts";

/** A metric that functions or relays write to their log, in CloudWatch's embedded metric format. */
export function ownMetric(
  stage: Pick<Stage, "name">,
  metricName: MetricName,
  subject: MetricSubject,
  options: MetricOptions,
): Metric {
  const dimensions: MetricDimensions = { stage: stage.name, ...subject };
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { ...dimensions },
    ...options,
  });
}
