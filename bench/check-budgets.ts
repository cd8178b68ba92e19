import { type Budgets, findings, readBudgets, renewed, writeBudgets } from "./budgets.ts";
import { countCalls } from "./count-calls.ts";
import { type FunctionFigures, measureFunctions } from "./measure-functions.ts";
import { withEmulators } from "./with-emulators.ts";

const updateCommand = "npm run bench -- --check --update";
const rounds = 3;
/** Repeated rounds for functions that seem to be too slow. */
const moreRounds = 10;

/**
 * Compare calls, sizes and starts with their budgets, and print the differences.
 * @returns whether all budgets are met
 */
export async function checkBudgets(): Promise<boolean> {
  const budgets = readBudgets();
  const found = findings(budgets, await measure(exceeds(budgets)));
  for (const finding of found) console.error(`FAIL  ${finding}`);
  if (found.length > 0) console.error(`\nIf that is worth it, commit what ${updateCommand} writes.`);
  else console.log("All budgets are kept.");
  return found.length === 0;
}

/** Write the current figures as budgets, with headroom for starts. */
export async function updateBudgets(): Promise<void> {
  const budgets = readBudgets();
  writeBudgets(renewed(budgets, await measure(exceeds(budgets))));
}

const exceeds =
  ({ startRatio }: Budgets) =>
  ({ name, initRatio }: FunctionFigures) =>
    initRatio > (startRatio[name] ?? Number.POSITIVE_INFINITY);

async function measure(needsMore: (figures: FunctionFigures) => boolean): Promise<Budgets> {
  const [, ...measured] = await measureFunctions(rounds, { needsMore, more: moreRounds });
  const functions = new Map(measured.map((figures) => [figures.name, figures]));
  const counts = await withEmulators(countCalls);
  return {
    callsInSeries: record(counts, ({ dynamodbCallsInSeries }) => dynamodbCallsInSeries),
    calls: record(counts, ({ dynamodbCalls, otherCalls }) => dynamodbCalls + otherCalls),
    bundleKilobytes: record(functions, ({ minifiedBytes }) => Math.ceil(minifiedBytes / 1024)),
    startRatio: record(functions, ({ initRatio }) => initRatio),
  };
}

const record = <Figures>(
  measured: ReadonlyMap<string, Figures>,
  figure: (figures: Figures) => number,
): Record<string, number> =>
  Object.fromEntries([...measured].map(([name, figures]) => [name, figure(figures)]));
