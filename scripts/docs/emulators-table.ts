import { takenByOne } from "../emulator/emulators.ts";

/** What only one of the emulators takes from the templates. */
export const emulatorsTable = (): string =>
  [
    "| type, or property of a type | taken by `--emulator` |",
    "| --- | --- |",
    ...takenByOne().map(({ emulator, what }) => `| \`${what.replace(" ", "` `")}\` | ${emulator} |`),
  ].join("\n");
