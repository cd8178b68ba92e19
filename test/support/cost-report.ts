import { readFileSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { type Costs, kindsOfCosts } from "./cost-kinds.ts";

/** Numbers of tests in each project, and their total costs. */
type Budget = Readonly<Record<string, number>>;

const budgetFile = new URL("../costs.json", import.meta.url);
/** A run may cost that many times its budget. */
const tolerance = 1.1;
/** Too few to tell a rise from a coincidence. */
const negligible = 10;

/**
 * Reports in the last lines what a run has cost. A complete run fails if a count exceeds its budget by a tenth;
 * `RECORD_COSTS=yes npm test` records the budgets again, for a commit that gives the reason.
 */
export class CostReport implements Reporter {
  readonly #cpuAtStart = process.cpuUsage();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const costs: Record<string, number> = {};
    for (const module of modules) {
      const tests = `${module.project.name} tests`;
      costs[tests] = (costs[tests] ?? 0) + [...module.children.allTests()].length;
      const own: Partial<Costs> = module.meta().costs ?? {};
      for (const kind of kindsOfCosts) costs[kind] = (costs[kind] ?? 0) + (own[kind] ?? 0);
    }
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    const seconds = Math.round((user + system) / 1e6);
    const list = Object.entries(costs).map(([kind, number]) => `${kind} ${number}`);
    console.log(`Costs: ${list.join(", ")}; ${seconds} CPU seconds without tables and browsers`);

    if (process.argv.slice(2).join(" ") !== "run") return;
    if (process.env.RECORD_COSTS === undefined) reportExcess(costs);
    else writeFileSync(budgetFile, `${JSON.stringify(costs, null, 2)}\n`);
  }
}

function reportExcess(costs: Budget): void {
  const budget: Budget = JSON.parse(readFileSync(budgetFile, "utf8"));
  for (const [kind, number] of Object.entries(costs)) {
    const allowed = budget[kind] ?? 0;
    if (number <= Math.max(allowed * tolerance, allowed + negligible)) continue;
    console.error(`The tests cost more than their budget: ${kind} ${number} instead of ${allowed}`);
    process.exitCode = 1;
  }
}
