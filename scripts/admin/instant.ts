import { CommandError } from "./command-error.ts";

/**
 * A day or a time as operators write it, in UTC unless it names another zone, wherever the command runs.
 * @returns ISO 8601 in UTC @throws CommandError
 */
export function toInstant(text: string): string {
  const [, day, time = "T00:00", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/i.exec(text) ?? [];
  const instant = new Date(`${day}${time}${zone}`);
  // JavaScript accepts the 30th of February as a day in March.
  const isDay = !Number.isNaN(instant.getTime()) && new Date(`${day}`).toISOString().slice(0, 10) === day;
  if (!isDay)
    throw new CommandError(`${text} is not a day or a time such as 2026-11-26 or 2026-11-26T20:00Z`);
  return instant.toISOString();
}
