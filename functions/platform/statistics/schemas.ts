import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

/** Maximum number of days and months in one answer. */
const maxDays = 92;
const maxMonths = 24;
const dayMilliseconds = 86_400_000;

const month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, "a month such as 2026-11");
const monthNumber = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5));

export const daysQuery = z
  .object({
    from: z.iso.date().meta({ description: "First day (UTC), such as 2026-11-01" }),
    to: z.iso.date().meta({ description: `Last day, at most ${maxDays - 1} days after the first` }),
  })
  .refine(({ from, to }) => isWithin((Date.parse(to) - Date.parse(from)) / dayMilliseconds, maxDays), {
    message: `1 to ${maxDays} days are needed`,
  });

export const monthsQuery = z
  .object({
    from: month.meta({ description: "First month (UTC), such as 2026-11" }),
    to: month.meta({ description: `Last month, at most ${maxMonths - 1} months after the first` }),
  })
  .refine(({ from, to }) => isWithin(monthNumber(to) - monthNumber(from), maxMonths), {
    message: `1 to ${maxMonths} months are needed`,
  });

const isWithin = (difference: number, most: number) => difference >= 0 && difference < most;

export const daysView = z
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

export const teamPath = z.object({ tid: wire.uuid.meta({ description: "Id of the team" }) });

export const teamView = z
  .object({
    months: z.array(z.object({ month, ...consumption })),
    storage: z.object({ bytes: z.number(), files: z.number() }),
  })
  .meta({ id: "TeamStatistics" });

/** Cursor in the list of teams of a month. */
export const teamsCursor = cursorOf("statistics-of-teams", z.strictObject({ after: z.uuid().toLowerCase() }));

export const teamsQuery = z.object({
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

export const teamsPage = z
  .object({
    teams: z.array(z.object({ team: z.string(), ...consumption })),
    without_team: z.object(consumption).meta({ description: "Of what was measured and belongs to no team" }),
    next: wire.nextCursor.optional(),
  })
  .meta({ id: "StatisticsOfTeams" });
