import { accountItem } from "#shared/accounts/account.ts";
import { parseAssetKey } from "#shared/assets/asset-key.ts";
import type { Subject } from "#shared/platform/data/subject.ts";
import { memberItem } from "#shared/teams/member.ts";
import { isPresent, type Team, teamItem } from "#shared/teams/team.ts";
import { TeamLines } from "../import/team-lines.ts";
import { nameOf } from "../releases/item-kinds.ts";
import { type Archive, type ArchivedFile, writeArchive } from "./archive.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Item } from "./person.ts";
import { shownToTeam } from "./shown-to-team.ts";
import type { TableReader } from "./table-reader.ts";
import { itemsFile, personFile, userLinesFile } from "./team-archive.ts";
import { type TeamPerson, type TeamWalk, walkTeam } from "./team-walk.ts";

/** The manifest of a team's archive. */
export interface TeamManifest {
  readonly teamId: string;
  /** ISO 8601. */
  readonly exportedAt: string;
  /** Number of members, and of people whom the directory has invited. */
  readonly people: number;
  /** Number of items of each kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Attributes that were left out, by kind. */
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
  /** The only attributes that are included, by kind, for kinds whose other attributes belong to their users alone. */
  readonly shown: Readonly<Record<string, readonly string[]>>;
  /** Every other file of the archive. */
  readonly files: readonly ArchivedFile[];
}

interface WriteTeamExportOptions {
  readonly reader: TableReader;
  readonly teamId: string;
  /** Reads the bucket of assets. */
  readonly readObject: ObjectReader;
  /** Path of the archive, which must not exist yet. */
  readonly file: string;
  readonly now: number;
  /** Called from time to time with the progress. */
  readonly onProgress: (text: string) => void;
}

/** The team does not exist, or is being deleted. */
export class NoTeamError extends Error {
  override readonly name = "NoTeamError";
}

/**
 * Write the data of a team into an archive: its items by kind, a file for each of its people with the items that they
 * leave to the team, and lines with which an import recreates it. Only the lists of files and lines grow in memory with
 * the team.
 * @throws NoTeamError
 */
export async function writeTeamExport({
  reader,
  teamId,
  readObject,
  file,
  now,
  onProgress,
}: WriteTeamExportOptions): Promise<TeamManifest> {
  const team = await readTeam(reader, teamId);
  if (team === undefined || !isPresent(team)) throw new NoTeamError(`There is no team ${teamId}`);
  const walk = await walkTeam(reader, teamId);
  return writeArchive(file, async (archive) => {
    const counts = new Map<string, number>();
    const lines = new TeamLines();
    await addItems(archive, walk, { counts, onProgress });
    let people = 0;
    for await (const person of walk.people()) {
      await addPerson(archive, walk, { person, counts, lines });
      if (++people % 500 === 0) onProgress(`${people} of ${team.memberCount} members`);
    }
    if (people % 500 !== 0) onProgress(`${people} of ${team.memberCount} members`);
    await archive.add(userLinesFile, lines.of(team));
    const { objectName = "" } = parseAssetKey(team.icon) ?? {};
    const icon = objectName === "" ? undefined : await readObject(objectName);
    if (icon !== undefined) await archive.add(`assets/${team.icon}`, [icon]);
    return {
      teamId,
      exportedAt: new Date(now).toISOString(),
      people,
      kinds: Object.fromEntries(counts),
      ...omissions(walk),
      files: [...archive.files],
    };
  });
}

async function readTeam(reader: TableReader, teamId: string): Promise<Team | undefined> {
  const place = { table: "teams", partition: `team#${teamId}`, sort: "team" } as const;
  for await (const item of reader.query(place)) return teamItem.parse(item);
  return undefined;
}

async function addItems(
  archive: Archive,
  walk: TeamWalk,
  { counts, onProgress }: { counts: Map<string, number>; onProgress: (text: string) => void },
): Promise<void> {
  for (const kind of walk.kinds) {
    const name = nameOf(kind);
    const items = walk.itemsOf(kind);
    const first = await items.next();
    if (first.done === true) continue;
    let count = 0;
    const toLine = (item: Item) => {
      count++;
      return `${JSON.stringify(shownToTeam(item, kind.subject))}\n`;
    };
    const lines = async function* () {
      yield toLine(first.value);
      for await (const item of items) yield toLine(item);
    };
    await archive.add(itemsFile(name), lines());
    counts.set(name, count);
    onProgress(`${count} ${name}`);
  }
}

async function addPerson(
  archive: Archive,
  walk: TeamWalk,
  { person, counts, lines }: { person: TeamPerson; counts: Map<string, number>; lines: TeamLines },
): Promise<void> {
  const { userId, items } = person;
  const subjects = new Map<string, Subject>(walk.personalKinds.map((kind) => [nameOf(kind), kind.subject]));
  const shown = [...items].map(([name, found]) => {
    counts.set(name, (counts.get(name) ?? 0) + found.length);
    const subject = subjects.get(name);
    return [name, found.map((item) => subject && shownToTeam(item, subject))] as const;
  });
  await archive.addJson(personFile(userId), Object.fromEntries(shown));
  const account = accountItem.parseOrAbsent(items.get(nameOf(accountItem))?.[0]);
  const member = memberItem.parseOrAbsent(items.get(nameOf(memberItem))?.[0]);
  if (account !== undefined && member !== undefined) lines.add(account, member);
}

/** Attributes that the archive leaves out, by kind. */
function omissions({ kinds, personalKinds }: TeamWalk): Pick<TeamManifest, "leftOut" | "shown"> {
  const leftOut: Record<string, readonly string[]> = {};
  const shown: Record<string, readonly string[]> = {};
  for (const kind of [...kinds, ...personalKinds]) {
    const { subject } = kind;
    if ("user" in subject && subject.toTeam !== undefined) shown[nameOf(kind)] = subject.toTeam;
    if ("team" in subject && subject.secrets !== undefined) leftOut[nameOf(kind)] = subject.secrets;
  }
  return { leftOut, shown };
}
