import { readFileSync, writeFileSync } from "node:fs";
import { round } from "./table.ts";

/** Figures by kind, and by the name of an operation or function. */
export type Budgets = Readonly<Record<BudgetKind, Readonly<Record<string, number>>>>;
type BudgetKind = keyof typeof kinds;

interface Kind {
  readonly unit: string;
  /** Whether a figure below its budget is also a finding, so that the change that improves it lowers the budget. */
  readonly isExact: boolean;
  /** The budget for a figure. @param current the budget until now */
  renew(measured: number, current: number | undefined): number;
}

const startHeadroom = 1.1;
/** A budget that exceeds its figure by more than this factor is lowered; others stay, because starts vary. */
const startSlack = 1.25;

/** The kinds of figures that have budgets. */
const kinds = {
  callsInSeries: { unit: "calls of DynamoDB in series", isExact: true, renew: (measured) => measured },
  calls: { unit: "calls of AWS before the response", isExact: true, renew: (measured) => measured },
  bundleKilobytes: { unit: "KB of bundle", isExact: true, renew: (measured) => measured },
  startRatio: {
    unit: "times the start of the floor",
    isExact: false,
    renew: (measured, current = 0) =>
      measured <= current && current <= measured * startSlack
        ? current
        : round(Math.ceil(measured * startHeadroom * 20) / 20, 2),
  },
} as const satisfies Record<string, Kind>;

const file = new URL("budgets.json", import.meta.url);

export const readBudgets = (): Budgets => JSON.parse(readFileSync(file, "utf8"));

export function writeBudgets(budgets: Budgets): void {
  writeFileSync(file, `${JSON.stringify(budgets, null, 2)}\n`);
}

/** A sentence for each difference from the budgets. */
export const findings = (budgets: Budgets, measured: Budgets): string[] =>
  kindNames.flatMap((kind) => {
    const names = new Set([...Object.keys(budgets[kind] ?? {}), ...Object.keys(measured[kind])]);
    return [...names].flatMap(
      (name) => finding(kind, name, budgets[kind]?.[name], measured[kind][name]) ?? [],
    );
  });

/** Budgets that these figures would meet. */
export const renewed = (budgets: Budgets, measured: Budgets): Budgets =>
  Object.fromEntries(
    kindNames.map((kind) => [
      kind,
      Object.fromEntries(
        Object.entries(measured[kind]).map(([name, figure]) => [
          name,
          kinds[kind].renew(figure, budgets[kind]?.[name]),
        ]),
      ),
    ]),
  ) as Budgets;

const kindNames = Object.keys(kinds) as BudgetKind[];

function finding(kind: BudgetKind, name: string, budget?: number, figure?: number): string | undefined {
  const { unit, isExact } = kinds[kind];
  if (budget === undefined) return `${name} has no budget for ${kind}`;
  if (figure === undefined) return `${name} has a budget for ${kind}, but does not exist`;
  if (figure > budget) return `${name}: ${round(figure, 2)} ${unit} exceed the budget of ${budget}`;
  return isExact && figure < budget
    ? `${name}: ${figure} ${unit} are less than the budget of ${budget}`
    : undefined;
}
