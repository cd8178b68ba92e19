import { basename } from "node:path";
import { importUsers, type LineReport, type Recorded } from "#lib/import/import-users.ts";
import { readRealm } from "#lib/import/keycloak-realm.ts";
import { type Dropped, readJsonLines } from "#lib/import/user-line.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { readText, streamFile } from "./read-text.ts";
import { findStageData, stageDataOptions, tableNameIn } from "./stage-data.ts";

/**
 * Needs AWS credentials that may describe the data stack, and read and write its tables `accounts`, `teams` and
 * `outbox`. The command may be stopped and run again at any time: nobody is created twice.
 */
export const importCommand = defineCommand({
  name: "import",
  summary:
    "Create the accounts of a file of users, or check what would be created: prints one JSON object per line, and the counts at the end",
  examples: [
    "import users.jsonl --stage prod --dry-run",
    "import users.jsonl --stage prod > report.jsonl",
    "import realm.json --format keycloak --team 7414208b-9e80-498d-a7c4-0078b08cf9ca --stage prod",
  ],
  effect: "changes",
  arguments: { file: { kind: "file", description: "the users" } },
  options: {
    ...stageDataOptions,
    format: {
      kind: "choice",
      description: "format of the file",
      choices: ["jsonl", "keycloak"],
      default: "jsonl",
    },
    team: {
      kind: "team",
      placeholder: "ID",
      description: "the team that the users of a realm join; by default none",
    },
  },
  async *run({ api, stage, url, isDryRun, note, fail }, values) {
    const { format, team } = values;
    if (team !== undefined && format !== "keycloak")
      throw new CommandError("--team is for realms: in JSON lines, each line names its team");
    const target = { file: basename(values.file), format, ...(team !== undefined && { tid: team }) };
    // A dry run is recorded, too, because it tells who has an account.
    const data = await findStageData({ api, stage, url }, values, {
      command: isDryRun ? "import --dry-run" : "import",
      event: "data.imported",
      target,
    });
    const users =
      format === "keycloak"
        ? readRealm(await readText(values.file), team)
        : readJsonLines(await streamFile(values.file));
    const counts: Partial<Record<LineReport["outcome"], number>> = {};
    const dropped: Partial<Record<Dropped, number>> = {};
    const { settings } = data;
    const recorded: Recorded = ({ userId, teamId, role }, task) =>
      data.recorded.within(
        {
          target: { uid: userId, ...(teamId !== undefined && { tid: teamId }) },
          ...(teamId !== undefined && { team: teamId }),
          ...(role !== undefined && { changes: { role: { after: role } } }),
        },
        task,
      );
    const options = { users, settings, tableName: tableNameIn(data), isDryRun, recorded };
    try {
      for await (const report of importUsers(options)) {
        counts[report.outcome] = (counts[report.outcome] ?? 0) + 1;
        for (const what of report.dropped ?? []) dropped[what] = (dropped[what] ?? 0) + 1;
        yield report;
      }
    } finally {
      const outcomes = Object.entries(counts).map(([outcome, count]) => [outcome, `${count}`]);
      await data.recorded.finish(Object.fromEntries(outcomes));
    }
    note(JSON.stringify({ ...counts, ...(Object.keys(dropped).length > 0 && { dropped }) }));
    if (counts.refused !== undefined || counts.failed !== undefined) fail();
  },
});
