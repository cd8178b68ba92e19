import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";
import type { Stage } from "./stage.ts";

/** In percent of the budget: when it has been spent, and when AWS expects that it will be. */
const thresholds = [
  { notificationType: "ACTUAL", threshold: 80 },
  { notificationType: "FORECASTED", threshold: 100 },
] as const;

/** Mails before an account costs more in a month than the stage says, if it does. */
export function monthlyBudget(
  scope: Construct,
  { monthlyBudgetDollars: amount, alarmEmail: address }: Stage,
): void {
  if (amount === undefined || address === undefined) return;
  new CfnBudget(scope, "MonthlyBudget", {
    budget: {
      budgetType: "COST",
      timeUnit: "MONTHLY",
      budgetLimit: { amount, unit: "USD" },
    },
    notificationsWithSubscribers: thresholds.map((threshold) => ({
      notification: { ...threshold, comparisonOperator: "GREATER_THAN", thresholdType: "PERCENTAGE" },
      subscribers: [{ subscriptionType: "EMAIL", address }],
    })),
  });
}
