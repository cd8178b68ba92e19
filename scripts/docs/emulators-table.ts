import { takenByAtMostOne } from "../emulator/emulators.ts";

/** What not all emulators take from the templates. */
export const emulatorsTable = (): string =>
  [
    "| type, or property of a type | taken by `--emulator` |",
    "| --- | --- |",
    ...takenByAtMostOne().map(
      ({ emulator, what }) => `| \`${what.replace(" ", "` `")}\` | ${emulator ?? "neither"} |`,
    ),
  ].join("\n");
