import { openAsBlob } from "node:fs";
import { BlobReader, TextWriter, ZipReader } from "@zip.js/zip.js";
import * as z from "zod";
import { emailIdentity } from "#shared/accounts/identity.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { conversationsFile, isPersonFile } from "./team-archive.ts";

/** Whom and what the archive of a team names. */
export interface ArchivedTeam {
  readonly teamId: string;
  readonly userIds: readonly string[];
  /** Ids of people and conversations, and addresses, as they are spelled and as they are claimed. */
  readonly names: ReadonlySet<string>;
}

/** The file is no archive of a team. */
export class NotAnArchiveError extends Error {
  override readonly name = "NotAnArchiveError";
}

const manifest = z.object({ teamId: z.uuid() });
const conversation = z.object({ conversationId: z.uuid() });
const person = z.object({
  "accounts/account": z
    .array(z.object({ userId: z.uuid(), email: z.string().optional() }))
    .max(1)
    .default([]),
});

/** Read what a certificate needs to look for the people of a team that is gone. @throws NotAnArchiveError */
export async function readTeamArchive(file: string, settings: Settings): Promise<ArchivedTeam> {
  const names = new Set<string>();
  const userIds: string[] = [];
  let teamId: string | undefined;
  try {
    for await (const [name, text] of textsIn(file)) {
      if (name === "manifest.json") teamId = manifest.parse(JSON.parse(text)).teamId;
      else if (name === conversationsFile)
        for (const line of text.trim().split("\n"))
          names.add(conversation.parse(JSON.parse(line)).conversationId);
      else
        for (const { userId, email } of person.parse(JSON.parse(text))["accounts/account"]) {
          userIds.push(userId);
          names.add(userId);
          if (email !== undefined) names.add(email).add(emailIdentity(email, settings).key);
        }
    }
  } catch (cause) {
    throw new NotAnArchiveError(`${file} is not the archive of a team`, { cause });
  }
  if (teamId === undefined) throw new NotAnArchiveError(`${file} has no manifest`);
  return { teamId, userIds, names: names.add(teamId) };
}

/** The files of an archive that a certificate needs, by name. */
async function* textsIn(file: string): AsyncGenerator<[name: string, text: string]> {
  const zip = new ZipReader(new BlobReader(await openAsBlob(file)), { useWebWorkers: false });
  for await (const entry of zip.getEntriesGenerator()) {
    const { filename } = entry;
    const isNeeded = ["manifest.json", conversationsFile].includes(filename) || isPersonFile(filename);
    if (isNeeded && !entry.directory) yield [filename, await entry.getData(new TextWriter())];
  }
}
