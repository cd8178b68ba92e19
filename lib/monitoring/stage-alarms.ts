import {
  ComparisonOperator,
  type MathExpression,
  type Metric,
  type MetricOptions,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import type { MetricName, MetricSubject } from "#shared/platform/metrics.ts";
import { ownMetric } from "../constructs/own-metric.ts";
import { alarmName } from "../guarded-deployment.ts";
import type { Stage } from "../stage.ts";

export interface AlarmPlan {
  /** Name of the alarm without that of its stage; the runbook has a row for it. */
  readonly id: string;
  readonly metric: Metric | MathExpression;
  /** The alarm fires at this value and above, or below it. */
  readonly threshold: number;
  readonly firesBelow?: boolean;
  /** Periods in a row that must be so; one by default. */
  readonly periods?: number;
  /** What a period without data means; by default that all is well. `fires`: what something must report again and again. */
  readonly withoutData?: "fires" | "stays";
  readonly description: string;
}

interface StageAlarmsProps {
  readonly stage: Pick<Stage, "name">;
  /** Gets every alarm, and its end. */
  readonly topic: ITopic | undefined;
}

/** The alarms of a stage. */
export class StageAlarms {
  readonly #scope: Construct;
  readonly #stage: Pick<Stage, "name">;
  readonly #topic: ITopic | undefined;

  constructor(scope: Construct, { stage, topic }: StageAlarmsProps) {
    this.#scope = scope;
    this.#stage = stage;
    this.#topic = topic;
  }

  add({ id, metric, threshold, firesBelow, periods = 1, withoutData, description }: AlarmPlan): void {
    const alarm = metric.createAlarm(this.#scope, id, {
      // Mails and the runbook name it, and a replacement would lose nothing.
      alarmName: alarmName(this.#stage, id),
      alarmDescription: description,
      threshold,
      comparisonOperator: firesBelow
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: missingData[withoutData ?? "ends"],
    });
    if (this.#topic === undefined) return;
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
  }

  /** A metric that functions or relays of the stage write. */
  ownMetric(metricName: MetricName, subject: MetricSubject, options: MetricOptions): Metric {
    return ownMetric(this.#stage, metricName, subject, options);
  }
}

const missingData = {
  fires: TreatMissingData.BREACHING,
  stays: TreatMissingData.IGNORE,
  ends: TreatMissingData.NOT_BREACHING,
};
