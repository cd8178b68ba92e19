import { limit } from "./arguments.ts";
import { type Command, defineCommand, type Option } from "./command.ts";
import { toInstant } from "./instant.ts";
import { allOf } from "./list-command.ts";

const time = (description: string) =>
  ({ kind: "text", placeholder: "TIME", description }) as const satisfies Option;

/** A command that prints a list of the internal API which begins with the newest, up to `--limit` entries. */
export const newestList = (
  command: Pick<Command, "name" | "summary" | "examples">,
  { path, field }: { path: string; field: string },
): Command =>
  defineCommand({
    ...command,
    effect: "reads",
    options: {
      from: time("start of the period: a day or a time in UTC, such as 2026-11-26 or 2026-11-26T20:00"),
      to: time("end of the period, exclusive"),
      limit,
    },
    run({ api, note }, { from, to, limit: most }) {
      const query = {
        ...(from !== undefined && { from: toInstant(from) }),
        ...(to !== undefined && { to: toInstant(to) }),
      };
      return allOf(note, api.list(path, field, most, { query }));
    },
  });
