import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";
import type { Stage } from "./stage.ts";

/** Percentages of the budget at which a mail is sent: for money spent, and for the amount that AWS forecasts. */
const thresholds = [
  { notificationType: "ACTUAL", threshold: 80 },
  { notificationType: "FORECASTED", threshold: 100 },
] as const;

/** Mails a warning before an account exceeds the monthly budget in the stage file, if there is one. */
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
