/**
 * Writes the data of a user or a team into a ZIP, or certifies that nothing is left of a deleted one but what is declared to
 * remain. It needs AWS credentials that may describe the data stack, and read its tables and the bucket of assets.
 *
 *   npm run export -- --stage NAME --user ID --out FILE.zip
 *   npm run export -- --stage NAME --user ID --certificate [--address ADDRESS ...]
 *   npm run export -- --stage NAME --team ID --out FILE.zip
 *   npm run export -- --stage NAME --team ID --certificate [--archive FILE.zip] [--address ADDRESS ...]
 *
 * Instead of a stage, `--table-prefix` and `--settings` name tables and buckets, and a JSON file with settings. An export of a
 * user reads the tables of assets, codes and OAuth from end to end, and others by their keys; one of a team reads nothing from
 * end to end; a certificate reads all tables. The certificate is printed as JSON; the exit status is 1 if something is left
 * that must not be. With former addresses and numbers, it also looks for those, and with the archive of a team for its
 * members, their addresses and its conversations.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { partialName } from "#lib/personal-data/archive.ts";
import { certifyErasure } from "#lib/personal-data/certify-erasure.ts";
import { addressNames, findItems, findPerson } from "#lib/personal-data/find-items.ts";
import { objectReader } from "#lib/personal-data/object-reader.ts";
import { NotAnArchiveError, readTeamArchive } from "#lib/personal-data/read-team-archive.ts";
import { TableReader } from "#lib/personal-data/table-reader.ts";
import { writeExport } from "#lib/personal-data/write-export.ts";
import { NoTeamError, writeTeamExport } from "#lib/personal-data/write-team-export.ts";
import { InvalidStageError } from "#lib/stage.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { findStageData, namesStageData, type StageData, stageDataOptions } from "./stage-data.ts";

const usage = `usage: npm run export -- --stage NAME --user ID --out FILE.zip
       npm run export -- --stage NAME --user ID --certificate [--address ADDRESS ...]
       npm run export -- --stage NAME --team ID --out FILE.zip
       npm run export -- --stage NAME --team ID --certificate [--archive FILE.zip] [--address ADDRESS ...]
       npm run export -- --table-prefix PREFIX [--settings FILE] …`;

function readArguments() {
  const { values } = parseArgs({
    options: {
      ...stageDataOptions,
      user: { type: "string" },
      team: { type: "string" },
      out: { type: "string" },
      certificate: { type: "boolean", default: false },
      archive: { type: "string" },
      address: { type: "string", multiple: true, default: [] },
    },
  });
  const { user, team, out, certificate, archive } = values;
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(user ?? team ?? "");
  const isOneSubject = (user === undefined) !== (team === undefined);
  const isOneTask = (out === undefined) === certificate;
  const hasUseForArchive = archive === undefined || (team !== undefined && certificate);
  if (!namesStageData(values) || !isId || !isOneSubject || !isOneTask || !hasUseForArchive)
    throw new Error(usage);
  for (const file of out === undefined ? [] : [out, partialName(out)])
    if (existsSync(file)) throw new Error(`${file} exists`);
  return { ...values, user: user?.toLowerCase(), team: team?.toLowerCase() };
}
type Arguments = ReturnType<typeof readArguments>;

async function run(): Promise<void> {
  const given = readArguments();
  const data = await findStageData(given);
  const reader = new TableReader(createDynamo(), data.tables);
  const { user: userId, team: teamId = "", out } = given;
  if (out === undefined) await certify(reader, data, given);
  else if (userId === undefined) await exportTeam(reader, data, { teamId, out });
  else await exportUser(reader, data, { userId, out });
}

async function certify(
  reader: TableReader,
  { settings }: StageData,
  { user, team: teamId = "", archive, address }: Arguments,
): Promise<void> {
  const certified = async () => {
    if (user !== undefined) {
      const { names } = await findPerson(reader, user, settings, address);
      return { subject: { userId: user }, erased: { userIds: [user], names } };
    }
    const archived = archive === undefined ? undefined : await readTeamArchive(archive, settings);
    if (archived !== undefined && archived.teamId !== teamId)
      throw new Error(`${archive} is the archive of team ${archived.teamId}`);
    const { userIds = [], names = [teamId] } = archived ?? {};
    const erased = { userIds, teamId, names: new Set([...names, ...addressNames(address, settings)]) };
    return { subject: { teamId, members: userIds.length }, erased };
  };
  const { subject, erased } = await certified();
  const certificate = await certifyErasure(reader, erased, systemClock());
  print({ ...subject, ...certificate });
  if (!certificate.isErased) process.exitCode = 1;
}

async function exportUser(
  reader: TableReader,
  data: StageData,
  { userId, out }: { userId: string; out: string },
): Promise<void> {
  const person = await findPerson(reader, userId, data.settings);
  const items = await findItems(reader, person, data.settings);
  if (!items.has("accounts/account")) throw new Error(`There is no user ${userId}`);
  const readObject = readerOfAssets(data);
  const manifest = await writeExport({ userId, items, readObject, file: out, now: systemClock() });
  const { kinds, files, missingAssets } = manifest;
  print({ file: out, kinds, files: files.length, missingAssets });
}

async function exportTeam(
  reader: TableReader,
  data: StageData,
  { teamId, out }: { teamId: string; out: string },
): Promise<void> {
  const readObject = readerOfAssets(data);
  const onProgress = (text: string) => console.error(text);
  const options = { reader, teamId, readObject, file: out, now: systemClock(), onProgress };
  const { people, kinds, files } = await writeTeamExport(options);
  print({ file: out, people, kinds, files: files.length });
}

function readerOfAssets({ buckets }: StageData) {
  const bucket = buckets.get("assets");
  if (bucket === undefined) throw new Error("There is no bucket of assets");
  return objectReader(bucket);
}

const print = (value: unknown) => console.log(JSON.stringify(value, null, 2));

try {
  await run();
} catch (error) {
  const { name, message } = error as Error;
  const isExpected =
    name === "Error" ||
    [InvalidStageError, NoTeamError, NotAnArchiveError].some((type) => error instanceof type) ||
    "code" in (error as Error);
  console.error(isExpected ? message : `${name}: ${message}`);
  process.exitCode = 1;
}
