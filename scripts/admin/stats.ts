import { dollarsOf, prices } from "#lib/prices.ts";
import { team as teamOption } from "./arguments.ts";
import { type Context, defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import type { InternalApi } from "./internal-api.ts";

const dayMilliseconds = 86_400_000;
/** Most days that are printed, and that the API answers at a time. */
const mostDays = 366;
const daysAtATime = 92;
const usualDays = 30;
/** Most teams that are compared, and that the API lists at a time. */
const mostTeams = 20_000;
const teamsAtATime = 500;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const firstOfMonth = (day: string) => `${day.slice(0, 7)}-01`;

const period = { kind: "text", placeholder: "DAY|MONTH" } as const;

export const stats = defineCommand({
  name: "stats",
  summary: "Show usage by day (UTC), the costs and storage of a team, or the most expensive teams",
  examples: [
    "stats --stage prod",
    "stats --from 2026-11-01 --to 2026-11-30 --json --stage prod",
    "stats --team 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --from 2026-09 --stage prod",
    "stats --teams --month 2026-10 --limit 20 --stage prod",
  ],
  effect: "reads",
  options: {
    from: { ...period, description: "the first day, with --team the first month" },
    to: { ...period, description: "the last day, with --team the last month" },
    team: { ...teamOption, description: "show the costs of the team with this id" },
    teams: { kind: "flag", description: "compare the teams of a month" },
    month: { kind: "text", placeholder: "MONTH", description: "the month that --teams compares" },
    limit: {
      kind: "integer",
      description: "largest number of teams to show",
      minimum: 1,
      maximum: mostTeams,
      default: "20",
    },
  },
  async run({ api, note }, { teams, team, limit, ...dates }) {
    if (team !== undefined && teams) throw new CommandError("Name a team by --team, or list them by --teams");
    if (team !== undefined) return teamCosts(api, team, dates);
    return teams ? ranking(api, { ...dates, limit }, note) : use(api, dates);
  },
});

interface Dates {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly month?: string | undefined;
}

interface Day {
  readonly day: string;
  readonly monthly_users: number;
}

/** Counters by day, and the users of each month so far. */
async function use(api: InternalApi, options: Dates) {
  const to = dayIn(options, "to", dayOf(Date.now()));
  const from = dayIn(options, "from", dayOf(Date.parse(to) - (usualDays - 1) * dayMilliseconds));
  if (from > to || Date.parse(to) - Date.parse(from) >= mostDays * dayMilliseconds)
    throw new CommandError(`--from and --to enclose 1 to ${mostDays} days`);
  const days: Day[] = [];
  // Starts at the first of the month, because each day counts only the users who are new in that month; their sum is
  // the month's.
  for (
    let start = Date.parse(firstOfMonth(from));
    start <= Date.parse(to);
    start += daysAtATime * dayMilliseconds
  ) {
    const end = Math.min(Date.parse(to), start + (daysAtATime - 1) * dayMilliseconds);
    const page = await api.read("/i/statistics/days", { query: { from: dayOf(start), to: dayOf(end) } });
    days.push(...page.days);
  }
  const byMonth = Map.groupBy(days, ({ day }) => day.slice(0, 7));
  return {
    months: [...byMonth].map(([month, ofMonth]) => ({
      month,
      active_users: ofMonth.reduce((sum, { monthly_users }) => sum + monthly_users, 0),
    })),
    days: days.filter(({ day }) => day >= from).map(({ monthly_users: _, ...day }) => day),
  };
}

async function teamCosts(api: InternalApi, team: string, options: Dates) {
  const to = monthIn(options, "to");
  const from = monthIn(options, "from", to);
  const path = `/i/statistics/teams/${encodeURIComponent(team)}`;
  const { months, storage } = await api.read(path, { query: { from, to } });
  return {
    months: months.map(({ month, ...consumed }: Consumed & { month: string }) => ({
      month,
      ...priced(consumed),
    })),
    stored_files: storage.files,
    stored_bytes: storage.bytes,
    storage_dollars_a_month: dollars((storage.bytes / 1e9) * prices.fileGigabyteMonth),
  };
}

async function ranking(
  api: InternalApi,
  { limit, ...options }: Dates & { limit: number },
  note: Context["note"],
) {
  const month = monthIn(options, "month");
  const all: (Consumed & { team: string })[] = [];
  let withoutTeam: Consumed | undefined;
  let start: string | undefined;
  do {
    const query = { month, size: String(teamsAtATime), ...(start !== undefined && { start }) };
    const page = await api.read("/i/statistics/teams", { query });
    all.push(...page.teams);
    withoutTeam ??= page.without_team;
    start = page.next;
  } while (start !== undefined && all.length < mostTeams);
  if (start !== undefined) note(`Only the first ${all.length} teams, by their ids, are compared.`);
  const costs = all.map(({ team, ...consumed }) => ({ team, ...priced(consumed), exact: costOf(consumed) }));
  const total = costs.reduce((sum, { exact }) => sum + exact, 0);
  const rest = withoutTeam === undefined ? 0 : costOf(withoutTeam);
  const ranked = costs.toSorted((one, other) => other.exact - one.exact).slice(0, limit);
  return {
    month,
    teams: ranked.map(({ exact: _, ...team }) => team),
    compared_teams: all.length,
    dollars_of_teams: dollars(total),
    dollars_without_team: dollars(rest),
  };
}

interface Consumed {
  readonly requests: number;
  readonly invocations: number;
  readonly gigabyte_seconds: number;
  readonly read_units: number;
  readonly write_units: number;
  readonly queued_messages: number;
  readonly frames: number;
}

const costOf = ({
  gigabyte_seconds,
  read_units,
  write_units,
  queued_messages,
  ...others
}: Consumed): number =>
  dollarsOf({
    ...others,
    gigabyteSeconds: gigabyte_seconds,
    readUnits: read_units,
    writeUnits: write_units,
    queuedMessages: queued_messages,
  });

const priced = (consumed: Consumed) => ({
  dollars: dollars(costOf(consumed)),
  requests: Math.round(consumed.requests),
  read_units: Math.round(consumed.read_units),
  write_units: Math.round(consumed.write_units),
  gigabyte_seconds: Math.round(consumed.gigabyte_seconds),
  frames: Math.round(consumed.frames),
});

/** Small teams cost fractions of a cent. */
const dollars = (value: number) => Number(value < 1 ? value.toPrecision(2) : value.toFixed(2));

function dayIn(options: Dates, name: keyof Dates, otherwise: string): string {
  const value = options[name];
  if (value === undefined) return otherwise;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  if (!isDay || dayOf(Date.parse(value)) !== value)
    throw new CommandError(`--${name} must be a day such as 2026-11-26`);
  return value;
}

/** A month, or the month of a day; by default the current one. */
function monthIn(options: Dates, name: keyof Dates, otherwise = dayOf(Date.now()).slice(0, 7)): string {
  const value = options[name];
  if (value === undefined) return otherwise;
  if (!/^\d{4}-\d\d(-\d\d)?$/.test(value))
    throw new CommandError(`--${name} must be a month such as 2026-11`);
  return value.slice(0, 7);
}
