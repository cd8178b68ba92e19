import { takenByAtMostOne } from "../emulator/emulators.ts";

/** The parts of the templates that not all emulators accept. */
export function emulatorsTable(): string {
  const taken = Map.groupBy(takenByAtMostOne(), ({ emulator }) => emulator ?? "neither");
  return [
    "| taken by `--emulator` | types, or properties of a type |",
    "| --- | --- |",
    ...[...taken].map(
      ([emulator, rows]) =>
        `| ${emulator} | ${rows.map(({ what }) => `\`${what.replace(" ", "` `")}\``).join(", ")} |`,
    ),
  ].join("\n");
}
