import { type Command, type Context, none } from "./command.ts";
import { CommandError } from "./command-error.ts";

const mostEntries = 10_000;

/** A command that prints a list of the internal API, up to `--limit` entries. */
export const listCommand = (
  command: Pick<Command, "name" | "summary" | "examples">,
  { path, field }: { path: string; field: string },
): Command => ({
  ...command,
  usage: "[--limit N]",
  options: { limit: { type: "string", default: "1000" } },
  async run({ api, options, note }, args) {
    none(args);
    const { entries, hasMore } = await api.list(path, field, limitOf(options));
    if (hasMore) note("There are more: raise --limit.");
    return entries;
  },
});

function limitOf({ limit }: Context["options"]): number {
  const number = Number(limit);
  if (!Number.isInteger(number) || number < 1 || number > mostEntries)
    throw new CommandError(`--limit is a number from 1 to ${mostEntries}`);
  return number;
}
