import { importUsers, type LineReport } from "#lib/import/import-users.ts";
import { readRealm } from "#lib/import/keycloak-realm.ts";
import { readJsonLines } from "#lib/import/user-line.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { readText, streamFile } from "./read-text.ts";
import { findStageData, stageDataOptions, tableNameIn } from "./stage-data.ts";

/**
 * Needs AWS credentials that may describe the data stack, and read and write its tables `accounts`, `teams` and `outbox`. It may
 * be stopped and run again at any time: nobody is created twice.
 */
export const importCommand = defineCommand({
  name: "import",
  summary:
    "Create the accounts of a file of users, or check what would be created: a JSON object a line, and the counts at the end",
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
      description: "what the file has",
      choices: ["jsonl", "keycloak"],
      default: "jsonl",
    },
    team: {
      kind: "team",
      placeholder: "ID",
      description: "the team that the users of a realm become members of; by default none",
    },
  },
  async *run({ stage, url, isDryRun, note, fail }, values) {
    const { format, team } = values;
    if (team !== undefined && format !== "keycloak")
      throw new CommandError("--team is for realms: in JSON lines, each user has a team");
    const data = await findStageData({ stage, url }, values);
    const users =
      format === "keycloak"
        ? readRealm(await readText(values.file), team)
        : readJsonLines(await streamFile(values.file));
    const counts: Partial<Record<LineReport["outcome"], number>> = {};
    const { settings } = data;
    for await (const report of importUsers({ users, settings, tableName: tableNameIn(data), isDryRun })) {
      yield report;
      counts[report.outcome] = (counts[report.outcome] ?? 0) + 1;
    }
    note(JSON.stringify(counts));
    if (counts.refused !== undefined || counts.failed !== undefined) fail();
  },
});
