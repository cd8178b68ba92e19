import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

/** Maximum number of days and months in one answer. */
const maxDays = 92;
const maxMonths = 24;
const dayMilliseconds = 86_400_000;

const month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, "a month such as 2026-11");
const monthNumber = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5));

const daysQuery = z
  .object({
    from: z.iso.date().meta({ description: "First day (UTC), such as 2026-11-01" }),
    to: z.iso.date().meta({ description: `Last day, at most ${maxDays - 1} days after the first` }),
  })
  .refine(({ from, to }) => isWithin((Date.parse(to) - Date.parse(from)) / dayMilliseconds, maxDays), {
    message: `1 to ${maxDays} days are needed`,
  });

const monthsQuery = z
  .object({
    from: month.meta({ description: "First month (UTC), such as 2026-11" }),
    to: month.meta({ description: `Last month, at most ${maxMonths - 1} months after the first` }),
  })
  .refine(({ from, to }) => isWithin(monthNumber(to) - monthNumber(from), maxMonths), {
    message: `1 to ${maxMonths} months are needed`,
  });

const isWithin = (difference: number, most: number) => difference >= 0 && difference < most;

const daysView = z
  .object({
    days: z.array(
      z.object({
        day: z.iso.date(),
        active_users: z.number(),
        monthly_users: z
          .number()
          .meta({ description: "Those of the active users who were not active earlier in the month" }),
        registrations: z.number(),
        failed_logins: z.number(),
        messages: z.number(),
        deliveries: z.number(),
      }),
    ),
  })
  .meta({ id: "DailyStatistics" });

const consumption = {
  requests: z.number(),
  invocations: z.number().meta({ description: "Of functions" }),
  gigabyte_seconds: z.number(),
  read_units: z.number(),
  write_units: z.number(),
  queued_messages: z.number(),
  frames: z.number().meta({ description: "Posted to sockets" }),
};

const teamPath = z.object({ tid: wire.uuid.meta({ description: "Id of the team" }) });

const teamView = z
  .object({
    months: z.array(z.object({ month, ...consumption })),
    storage: z.object({ bytes: z.number(), files: z.number() }),
  })
  .meta({ id: "TeamStatistics" });

/** Cursor in the list of teams of a month. */
export const teamsCursor = cursorOf("statistics-of-teams", z.strictObject({ after: z.uuid().toLowerCase() }));

const teamsQuery = z.object({
  month: month.meta({ description: "Month (UTC), such as 2026-11" }),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(100)
    .meta({ description: "Maximum length of the page" }),
  start: teamsCursor.optional().meta({ description: "`next` of the page before" }),
});

const teamsPage = z
  .object({
    teams: z.array(z.object({ team: z.string(), ...consumption })),
    without_team: z.object(consumption).meta({ description: "Of what was measured and belongs to no team" }),
    next: wire.nextCursor.optional(),
  })
  .meta({ id: "StatisticsOfTeams" });

export const routes = defineRoutes({
  "i-get-daily-statistics": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/statistics/days",
    auth: "internal",
    summary: "Get how many people were active, and what happened, on each day",
    query: daysQuery,
    responses: { 200: daysView },
    errors: [],
  },
  "i-list-team-statistics": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/statistics/teams",
    auth: "internal",
    summary: "List what teams consumed in a month",
    description:
      "In the order of their ids, extrapolated from a sample of the requests. Teams without a measured request are left " +
      "out. A page may have fewer than requested; the last has no `next`.",
    query: teamsQuery,
    responses: { 200: teamsPage },
    errors: [],
  },
  "i-get-team-statistics": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/statistics/teams/{tid}",
    auth: "internal",
    summary: "Get what a team consumed in each month, and what it stores",
    description:
      "Zero for what is unknown, also for an unknown team: what a deleted one consumed stays known.",
    params: teamPath,
    query: monthsQuery,
    responses: { 200: teamView },
    errors: [],
  },
});
