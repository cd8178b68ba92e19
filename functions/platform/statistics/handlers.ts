import type { Handlers } from "#shared/platform/http/route.ts";
import { type Consumption, dayOf } from "#shared/platform/usage/statistics.ts";
import type { Deps } from "./deps.ts";
import { type routes, teamsCursor } from "./routes.ts";

export function createHandlers({ statistics }: Deps): Handlers<typeof routes> {
  return {
    "i-get-daily-statistics": async ({ query }) => {
      const days = daysFrom(query);
      const counters = await statistics.days(days);
      return {
        body: {
          days: counters.map((counted, index) => ({
            day: days[index] as string,
            active_users: counted.activeUsers,
            monthly_users: counted.monthlyUsers,
            registrations: counted.registrations,
            failed_logins: counted.failedLogins,
            messages: counted.messages,
            deliveries: counted.deliveries,
          })),
        },
      };
    },

    "i-list-team-statistics": async ({ query: { month, size, start } }) => {
      const [teams, [nobody]] = await Promise.all([
        statistics.pageOfPayers(month, { limit: size, after: start?.after }),
        statistics.consumptionOf(undefined, [month]),
      ]);
      const last = teams.length === size ? teams.at(-1)?.payer : undefined;
      return {
        body: {
          teams: teams.map(({ payer, ...consumed }) => ({ team: payer, ...toView(consumed) })),
          without_team: toView(nobody as Consumption),
          ...(last !== undefined && { next: teamsCursor.encode({ after: last }) }),
        },
      };
    },

    "i-get-team-statistics": async ({ params, query }) => {
      const months = monthsFrom(query);
      const [consumed, storage] = await Promise.all([
        statistics.consumptionOf(params.tid, months),
        statistics.storageOf(params.tid),
      ]);
      return {
        body: {
          months: consumed.map((ofMonth, index) => ({ month: months[index] as string, ...toView(ofMonth) })),
          storage,
        },
      };
    },
  };
}

const toView = (consumed: Consumption) => ({
  requests: consumed.requests,
  invocations: consumed.invocations,
  gigabyte_seconds: consumed.gigabyteSeconds,
  read_units: consumed.readUnits,
  write_units: consumed.writeUnits,
  queued_messages: consumed.queuedMessages,
  frames: consumed.frames,
});

interface Period {
  readonly from: string;
  readonly to: string;
}

const dayMilliseconds = 86_400_000;

/** The days of a period, both ends included. */
function daysFrom({ from, to }: Period): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / dayMilliseconds + 1;
  return Array.from({ length: count }, (_, index) => dayOf(Date.parse(from) + index * dayMilliseconds));
}

/** The months of a period, both ends included. */
function monthsFrom({ from, to }: Period): string[] {
  const months: string[] = [];
  for (let month = from; month <= to; month = following(month)) months.push(month);
  return months;
}

function following(month: string): string {
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(5))];
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
}
