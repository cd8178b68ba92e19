import { limit } from "./arguments.ts";
import { type Command, type Context, defineCommand } from "./command.ts";

/** A command that prints a list of the internal API, up to `--limit` entries. */
export const listCommand = (
  command: Pick<Command, "name" | "summary" | "examples">,
  { path, field }: { path: string; field: string },
): Command =>
  defineCommand({
    ...command,
    effect: "reads",
    options: { limit },
    run: ({ api, note }, values) => allOf(note, api.list(path, field, values.limit)),
  });

/** The entries of a list, with a note if there are more. */
export async function allOf<Entry>(
  note: Context["note"],
  list: Promise<{ entries: Entry[]; hasMore: boolean }>,
): Promise<Entry[]> {
  const { entries, hasMore } = await list;
  if (hasMore) note("There are more: raise --limit.");
  return entries;
}
