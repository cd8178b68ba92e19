import { limit } from "./arguments.ts";
import { type Command, defineCommand } from "./command.ts";

/** A command that prints a list of the internal API, up to `--limit` entries. */
export const listCommand = (
  command: Pick<Command, "name" | "summary" | "examples">,
  { path, field }: { path: string; field: string },
): Command =>
  defineCommand({
    ...command,
    effect: "reads",
    options: { limit },
    async run({ api, note }, values) {
      const { entries, hasMore } = await api.list(path, field, values.limit);
      if (hasMore) note("There are more: raise --limit.");
      return entries;
    },
  });
