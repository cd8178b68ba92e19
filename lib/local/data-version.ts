import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "./setup-error.ts";

/**
 * Version of the content of a data folder. Raise it when earlier code could not read the content, or would lose some of
 * it.
 */
const dataVersion = 1;

/**
 * Note the version in a data folder. A folder without it is older than the note.
 * @throws SetupError when a later version has written the folder
 */
export function recordDataVersion(folder: string): void {
  const file = join(folder, "version");
  const found = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  if (found === dataVersion) return;
  if (!(found < dataVersion)) {
    throw new SetupError(
      `Data folder ${folder} was written by a later version of Parley: update this one, or choose another folder ` +
        "with --data",
    );
  }
  writeFileSync(file, `${dataVersion}\n`, { mode: 0o600 });
}
