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
  /** Consecutive periods that must reach the threshold; one by default. */
  readonly periods?: number;
  /**
   * Meaning of a period without data. By default, all is well; `fires` is for values that must be reported all the
   * time.
   */
  readonly withoutData?: "fires" | "stays";
  readonly description: string;
}

interface StageAlarmsProps {
  readonly stage: Pick<Stage, "name">;
  /** Topic for the beginning and the end of every alarm. */
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
      // A fixed name, because mails and the runbook contain it, and replacing an alarm loses nothing.
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

  /** A metric written by functions or relays of the stage. */
  ownMetric(metricName: MetricName, subject: MetricSubject, options: MetricOptions): Metric {
    return ownMetric(this.#stage, metricName, subject, options);
  }
}

const missingData = {
  fires: TreatMissingData.BREACHING,
  stays: TreatMissingData.IGNORE,
  ends: TreatMissingData.NOT_BREACHING,
};
