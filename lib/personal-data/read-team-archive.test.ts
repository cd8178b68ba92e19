import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter, type ZipWriterAddDataOptions } from "@zip.js/zip.js";
import { describe, expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { archiveLimits, NotAnArchiveError, readTeamArchive } from "./read-team-archive.ts";

const settings = parseSettings({});
const folder = mkdtempSync(join(tmpdir(), "team-archive-"));
const teamId = "7414208b-9e80-498d-a7c4-0078b08cf9ca";
const userId = "8f5a29f4-04ca-4a53-a4ff-49cc2ae8a09d";
const conversationId = "0190a5b8-7f6e-4d43-8a51-3c2a9be0d1f4";
const conversations = "items/conversations/conversation.jsonl";
const member = `members/${userId}.json`;
const person = JSON.stringify({ "accounts/account": [{ userId, email: "Ada@Example.com" }] });
const mebibyte = 2 ** 20;

type Contents = Record<string, string | Uint8Array>;
const usual: Contents = { [conversations]: `${JSON.stringify({ conversationId })}\n`, [member]: person };
const bytesOf = (content: string | Uint8Array) =>
  typeof content === "string" ? Buffer.from(content) : content;
const listed = (contents: Contents) =>
  Object.entries(contents).map(([name, content]) => ({
    name,
    bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
  }));
const manifestOf = (contents: Contents) => JSON.stringify({ teamId, files: listed(contents) });

let count = 0;
const fileNamed = () => join(folder, `${++count}.zip`);

/** Writes a ZIP. @returns its name */
async function zipOf(
  entries: readonly (readonly [name: string, content: string | Uint8Array])[],
  options: ZipWriterAddDataOptions = {},
): Promise<string> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [name, content] of entries)
    await zip.add(name, new Uint8ArrayReader(bytesOf(content)), { dataDescriptor: false, ...options });
  const file = fileNamed();
  writeFileSync(file, await zip.close());
  return file;
}

const archiveOf = (
  contents: Contents,
  manifest = manifestOf(contents),
  options: ZipWriterAddDataOptions = {},
) => zipOf([...Object.entries(contents), ["manifest.json", manifest]], options);

/** A ZIP like another, with some bytes replaced everywhere. */
function patched(file: string, [from, to]: readonly [Buffer, Buffer]): string {
  const bytes = readFileSync(file);
  let at = bytes.indexOf(from);
  expect(at).toBeGreaterThan(0);
  for (; at >= 0; at = bytes.indexOf(from, at + to.length)) to.copy(bytes, at);
  const copy = fileNamed();
  writeFileSync(copy, bytes);
  return copy;
}

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

async function problemOf(file: string, limits = archiveLimits): Promise<string> {
  const error = await readTeamArchive(file, settings, limits).catch((thrown: unknown) => thrown);
  if (!(error instanceof NotAnArchiveError)) throw new Error("read without a problem", { cause: error });
  expect(error.message).toContain(file);
  expect(error.message).not.toContain("\n");
  return error.message.replace(file, "FILE");
}

describe.concurrent("the archive of a team", () => {
  it("yields the people and conversations that it names", async () => {
    const { names, ...team } = await readTeamArchive(await archiveOf(usual), settings);
    expect(team).toEqual({ teamId, userIds: [userId] });
    expect([...names].toSorted()).toEqual(
      [teamId, userId, conversationId, "Ada@Example.com", "ada@example.com"].toSorted(),
    );
  });

  it("may contain files of any size if a certificate does not need them", async () => {
    const file = await archiveOf({ ...usual, "assets/icon": new Uint8Array(65 * mebibyte) });
    expect((await readTeamArchive(file, settings)).userIds).toEqual([userId]);
  });

  it("is read line by line, even if lines arrive in many pieces", async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => {
      const id = `0190a5b8-7f6e-4d43-8a51-${index.toString().padStart(12, "0")}`;
      return `${JSON.stringify({ conversationId: id, name: `é${"ü".repeat(index % 97)}` })}\n`;
    });
    const { names } = await readTeamArchive(
      await archiveOf({ ...usual, [conversations]: lines.join("") }),
      settings,
    );
    expect(names.size).toBe(5_000 + 4);
  });

  it("is refused when one of its files exceeds the limit once unpacked", async () => {
    for (const name of [member, "manifest.json"]) {
      const file = await zipOf([[name, new Uint8Array(65 * mebibyte)]]);
      expect(await problemOf(file)).toBe(
        `FILE is not the archive of a team: ${name} has more than 64 MiB unpacked`,
      );
    }
  });

  it("is refused when a file unpacks to more than its declared size", async () => {
    const size = 65 * mebibyte;
    const file = await zipOf([[member, new Uint8Array(size)]]);
    for (const said of [100, 63 * mebibyte])
      expect(await problemOf(patched(file, [uint32(size), uint32(said)]))).toMatch(
        /^FILE is not the archive of a team: (members\S* has more than 64 MiB unpacked|it is damaged)$/,
      );
  });

  it("is refused when all of its files together are too large", async () => {
    const lines = `${JSON.stringify({ conversationId })}\n`.repeat(1_000);
    const file = await archiveOf({ ...usual, [conversations]: lines });
    expect(await problemOf(file, { ...archiveLimits, totalBytes: 20_000 })).toMatch(
      "its files have more than 20000 bytes unpacked",
    );
  });

  it("is refused for too many files, too many names, or too long a list of files", async () => {
    const file = await archiveOf(usual);
    const limited = (limits: Partial<typeof archiveLimits>) =>
      problemOf(file, { ...archiveLimits, ...limits });
    expect(await limited({ entries: 2 })).toMatch("it has more than 2 files");
    expect(await limited({ names: 2 })).toMatch("it has more than 2 people, addresses and conversations");
    expect(await limited({ listBytes: 100 })).toMatch("its list of files has more than 100 bytes");
  });

  it("is refused for a line of endless length", async () => {
    const line = `${JSON.stringify({ conversationId, name: "x".repeat(2 * mebibyte) })}\n`;
    expect(await problemOf(await archiveOf({ ...usual, [conversations]: line }))).toMatch(
      `${conversations} has a line of more than 1 MiB`,
    );
  });

  it("is refused when it is encrypted", async () => {
    const file = await archiveOf(usual, undefined, { password: "secret" });
    expect(await problemOf(file)).toMatch(`${conversations} is encrypted`);
  });

  it("is refused wherever it is cut off", async () => {
    const whole = readFileSync(await archiveOf(usual));
    for (let length = 0; length < whole.length; length += 13) {
      const file = fileNamed();
      writeFileSync(file, whole.subarray(0, length));
      expect(await problemOf(file)).toBe("FILE is not the archive of a team: it is damaged");
    }
  });

  it("is refused if any byte that matters has changed", async () => {
    const whole = readFileSync(await archiveOf(usual, undefined, { level: 0 }));
    const start = whole.indexOf(person);
    for (const at of [start, start + 40, start + person.length - 1]) {
      const file = fileNamed();
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(file, bytes);
      expect(await problemOf(file)).toMatch("it is damaged");
    }
  });

  it("is refused for names that lead out of a folder", async () => {
    for (const name of ["../members/x.json", "members/../../x.json", "/members/x.json", "members\\..\\x"])
      expect(await problemOf(await archiveOf({ ...usual, [name]: person }))).toMatch(
        /it has a file of a strange name$/,
      );
  });

  it("cannot insert lines into a message", async () => {
    const { [member]: _, ...without } = usual;
    const name = `members/x\nEverything is erased.json`;
    const file = await archiveOf({ ...without, [name]: "{" }, manifestOf(usual));
    expect(await problemOf(file)).toMatch(`${member} is missing`);
    const listed = { teamId, files: [{ name, sha256: "" }] };
    const { userIds } = await readTeamArchive(await archiveOf({}, JSON.stringify(listed)), settings);
    expect(userIds).toEqual([]);
  });

  it("is refused for two files of one name", async () => {
    const other = person.replace("8f5a", "9f5a");
    const entries = [...Object.entries(usual), ["manifest.json", manifestOf(usual)]] as const;
    const file = await zipOf([
      ...entries.map(([name, content]) => [name, content] as const),
      [`x${member.slice(1)}`, other],
    ]);
    const twice = patched(file, [Buffer.from(`x${member.slice(1)}`), Buffer.from(member)]);
    expect(await problemOf(twice)).toMatch(`it has ${member} twice`);
  });

  it("is refused when a file is missing, is not in the manifest, or has changed", async () => {
    const { [member]: _, ...without } = usual;
    expect(await problemOf(await archiveOf(without, manifestOf(usual)))).toMatch(`${member} is missing`);
    expect(await problemOf(await archiveOf(usual, manifestOf(without)))).toMatch(
      `${member} is not what the manifest says`,
    );
    const changed = { ...usual, [member]: person.replace("Ada@", "Eve@") };
    expect(await problemOf(await archiveOf(changed, manifestOf(usual)))).toMatch(
      `${member} is not what the manifest says`,
    );
    expect(await problemOf(await zipOf(Object.entries(usual)))).toMatch("it has no manifest");
  });

  it("is refused for content that is not JSON, not UTF-8, or of another shape", async () => {
    const deep = "[".repeat(5 * mebibyte);
    for (const content of ["{", "[]", '{"accounts/account":[{"userId":"x"}]}', deep, new Uint8Array([0xff])])
      expect(await problemOf(await archiveOf({ ...usual, [member]: content }))).toMatch(
        `${member} has something else than it should`,
      );
    for (const content of ["{", "null", "[1]\n", "\n\n"])
      expect(await problemOf(await archiveOf({ ...usual, [conversations]: content }))).toMatch(
        `${conversations} has something else than it should`,
      );
    expect(await problemOf(await archiveOf(usual, "{}"))).toMatch("manifest.json has something else");
  });

  it("is refused when it is no ZIP, no file, or does not exist", async () => {
    const text = fileNamed();
    writeFileSync(text, "text ".repeat(100));
    expect(await problemOf(text)).toMatch("it is damaged");
    const directory = fileNamed();
    mkdirSync(directory);
    expect(await problemOf(directory)).toMatch("it is no file");
    expect(await problemOf("/dev/zero")).toMatch("it is no file");
    expect(await problemOf(join(folder, "nowhere.zip"))).toMatch("there is no such file");
  });
});
