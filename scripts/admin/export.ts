import { existsSync } from "node:fs";
import { ArchiveInUseError } from "#lib/personal-data/archive.ts";
import { BucketReader } from "#lib/personal-data/bucket-reader.ts";
import { certifyErasure } from "#lib/personal-data/certify-erasure.ts";
import { addressNames, findItems, findPerson } from "#lib/personal-data/find-items.ts";
import { objectReader } from "#lib/personal-data/object-reader.ts";
import { NotAnArchiveError, readTeamArchive } from "#lib/personal-data/read-team-archive.ts";
import { TableReader } from "#lib/personal-data/table-reader.ts";
import { writeExport } from "#lib/personal-data/write-export.ts";
import { NoTeamError, writeTeamExport } from "#lib/personal-data/write-team-export.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { recordsOf } from "./audit-files.ts";
import type { Entry } from "./audit-names.ts";
import { type Context, defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { type Action, unrecorded } from "./record-action.ts";
import { findStageData, type StageData, stageDataOptions } from "./stage-data.ts";
import { signed } from "./statement.ts";

/** A time before all records. */
const theBeginning = "2000-01-01T00:00:00Z";

/**
 * Needs AWS credentials that may describe the data stack, and read its tables and buckets. An export of a user reads
 * the tables of assets, codes and OAuth completely, and others by their keys; an export of a team reads by keys only; a
 * certificate reads all tables, lists all objects, and reads all files of the audit trail.
 */
export const exportCommand = defineCommand({
  name: "export",
  summary:
    "Write the data of a user or a team into a ZIP, or certify that nothing is left of a deleted one but what is declared " +
    "to remain",
  examples: [
    "export --user 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --out ada.zip --stage prod",
    "export --user 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --certificate --address ada@example.com --stage prod",
    "export --team 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --out engines.zip --stage prod",
    "export --team 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --certificate --archive engines.zip --stage prod",
  ],
  effect: "reads",
  options: {
    ...stageDataOptions,
    user: { kind: "id", description: "id of the user" },
    team: { kind: "team", description: "or id of the team" },
    out: { kind: "file", description: "the ZIP to write, which must not exist yet" },
    certificate: {
      kind: "flag",
      description: "certify the erasure instead; fails if more is left than is declared to remain",
    },
    archive: {
      kind: "file",
      description: "for a deleted team: also look for the members, addresses and conversations in this ZIP",
    },
    address: {
      kind: "address",
      description: "also look for this former address, number or @handle of the erased",
      isRepeated: true,
    },
  },
  async run(context, values) {
    const hasApi = values["table-prefix"] === undefined || context.url !== undefined;
    const given = { ...checked(values), hasApi };
    const data = await findStageData(context, values, context.isDryRun ? unrecorded.dryRun : actionOf(given));
    const reader = new TableReader(createDynamo(awsClientOptions({ patience: 10 })), data.tables);
    const { user: userId, team: teamId = "", out } = given;
    if (context.isDryRun && out !== undefined) return { would_write: out };
    try {
      if (out === undefined) return await certify(context, reader, data, given);
      if (userId === undefined) return await exportTeam(context, reader, data, { teamId, out });
      const records = hasApi ? recordsOf(context.api, { user: userId, from: theBeginning }) : undefined;
      return await exportUser(reader, data, { userId, out, records });
    } catch (error) {
      const isExpected = [ArchiveInUseError, NoTeamError, NotAnArchiveError].some(
        (one) => error instanceof one,
      );
      if (isExpected) throw new CommandError((error as Error).message);
      throw error;
    }
  },
});

interface Given {
  readonly user?: string | undefined;
  readonly team?: string | undefined;
  readonly out?: string | undefined;
  readonly certificate: boolean;
  readonly archive?: string | undefined;
  readonly address: readonly string[];
  /** Whether the internal API belongs to the same installation. */
  readonly hasApi: boolean;
}

/** @throws CommandError */
function checked(values: Omit<Given, "hasApi">): Omit<Given, "hasApi"> {
  const { user, team, out, certificate, archive } = values;
  if ((user === undefined) === (team === undefined))
    throw new CommandError("Name either a --user or a --team");
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(user ?? team ?? ""))
    throw new CommandError(`Not an id: ${user ?? team}; user find shows those of a user and of the team`);
  if ((out === undefined) !== certificate)
    throw new CommandError("Name either the file to write with --out, or --certificate");
  if (archive !== undefined && (team === undefined || !certificate))
    throw new CommandError("--archive is for the --certificate of a --team");
  if (out !== undefined && existsSync(out)) throw new CommandError(`${out} exists`);
  return { ...values, user: user?.toLowerCase(), team: team?.toLowerCase() };
}

const actionOf = ({ user, team, certificate }: Pick<Given, "user" | "team" | "certificate">): Action => ({
  command: "export",
  event: "data.exported",
  target: {
    ...(user !== undefined && { uid: user }),
    ...(team !== undefined && { tid: team }),
    kind: certificate ? "certificate" : "archive",
  },
  ...(team !== undefined && { team }),
});

/** Remains that a search in the folder of `npm start` would find. */
const onThisMachine =
  "of npm start, its folder: messages.jsonl has the mails of the console, and the databases what was removed until its space is used again";

async function certify(
  { api, stage, fail, note }: Context,
  reader: TableReader,
  { settings, buckets }: StageData,
  { user, team: teamId = "", archive, address, hasApi }: Given,
): Promise<object> {
  const certified = async () => {
    if (user !== undefined) {
      const { names } = await findPerson(reader, user, settings, address);
      return { subject: { userId: user }, erased: { userIds: [user], names } };
    }
    const archived = archive === undefined ? undefined : await readTeamArchive(archive, settings);
    if (archived !== undefined && archived.teamId !== teamId)
      throw new CommandError(`${archive} is the archive of team ${archived.teamId}`);
    const { userIds = [], names = [teamId] } = archived ?? {};
    const erased = { userIds, teamId, names: new Set([...names, ...addressNames(address, settings)]) };
    return { subject: { teamId, members: userIds.length }, erased };
  };
  const { subject, erased } = await certified();
  const certificate = await certifyErasure(
    { tables: reader, buckets: new BucketReader(buckets) },
    erased,
    systemClock(),
  );
  if (!certificate.isAsDeclared) fail();
  const notLookedAt = [...certificate.notLookedAt, ...(stage === undefined ? [onThisMachine] : [])];
  const stated = { ...subject, ...certificate, notLookedAt };
  if (!hasApi) return stated;
  return signed(api, "erasure", stated).catch((error: Error) => {
    if (!(error instanceof CommandError)) throw error;
    note(`Not signed: ${error.message}`);
    return stated;
  });
}

async function exportUser(
  reader: TableReader,
  data: StageData,
  { userId, out, records }: { userId: string; out: string; records: AsyncIterable<Entry> | undefined },
): Promise<object> {
  const person = await findPerson(reader, userId, data.settings);
  const items = await findItems(reader, person, data.settings);
  if (!items.has("accounts/account")) throw new CommandError(`There is no user ${userId}`);
  const readObject = readerOfAssets(data);
  const manifest = await writeExport({
    userId,
    items,
    records: records && withoutOthers(records, userId),
    readObject,
    file: out,
    now: systemClock(),
  });
  const { kinds, files, missingAssets } = manifest;
  return { file: out, kinds, files: files.length, missingAssets };
}

/** The names of operators at AWS, and whom else they have read, are not data of the user. */
async function* withoutOthers(records: AsyncIterable<Entry>, userId: string) {
  for await (const { actor, target, ...record } of records) {
    const { principal: _, ...who } = Object(actor);
    const named = Object.entries<string>(Object(target));
    const own = named.map(([name, ids]) => [name, ids.split(" ").includes(userId) ? userId : ids]);
    yield {
      ...record,
      actor: who,
      target: record.event === "personal-data.read" ? Object.fromEntries(own) : target,
    };
  }
}

async function exportTeam(
  { note }: Context,
  reader: TableReader,
  data: StageData,
  { teamId, out }: { teamId: string; out: string },
): Promise<object> {
  const readObject = readerOfAssets(data);
  const options = { reader, teamId, readObject, file: out, now: systemClock(), onProgress: note };
  const { people, kinds, files } = await writeTeamExport(options);
  return { file: out, people, kinds, files: files.length };
}

function readerOfAssets({ buckets }: StageData) {
  const bucket = buckets.get("assets");
  if (bucket === undefined) throw new CommandError("There is no bucket of assets");
  return objectReader(bucket);
}
