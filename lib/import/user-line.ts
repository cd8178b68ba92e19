import * as z from "zod";
import { locale } from "#shared/accounts/account-types.ts";
import { parseImportedHash, UnusableHashError } from "#shared/accounts/credentials/imported-hash.ts";
import { accentId } from "#shared/accounts/profiles/profile-fields.ts";
import { parseJson } from "#shared/platform/parse-json.ts";
import { currency } from "#shared/teams/found-team.ts";
import { role } from "#shared/teams/permissions.ts";
import { teamName } from "#shared/teams/team.ts";

/** The hash of a password. The message about a malformed one does not repeat it. */
const passwordHash = z.string().superRefine((text, { addIssue }) => {
  try {
    parseImportedHash(text);
  } catch (error) {
    if (!(error instanceof UnusableHashError)) throw error;
    addIssue({ code: "custom", message: error.message });
  }
});

/**
 * An id in the former system. A later import recognises the user or team by it, even if everything else has changed.
 * Never shown.
 */
const externalId = z.string().min(1).max(256);

/** A team that the user founds, unless an earlier line or import has done so: then they join it as an owner, too. */
const newTeam = z.strictObject({
  external_id: externalId,
  name: teamName,
  currency: currency.optional(),
});

/** One line of a file of users. Unknown fields are refused: they may be misspelt. */
const userLine = z
  .strictObject({
    external_id: externalId.optional(),
    name: z.string().min(1).max(128),
    email: z.string().max(320).optional(),
    /** Whether the former system has proved that the address is the user's. */
    email_verified: z.boolean().default(false),
    /** In E.164 form. */
    phone: z.string().max(32).optional(),
    /** Whether the former system has proved that the number is the user's; otherwise it is refused. */
    phone_verified: z.boolean().default(false),
    handle: z.string().optional(),
    locale: locale.optional(),
    accent_id: accentId.default(0),
    /** At most one of these three: an existing team, one that another line founds, or one that this user founds. */
    team: z.uuid().optional(),
    team_external_id: externalId.optional(),
    new_team: newTeam.optional(),
    /** Absent: `owner` of a new team, otherwise `member`. */
    role: role.optional(),
    password_hash: passwordHash.optional(),
  })
  .refine(({ external_id, email }) => external_id !== undefined || email !== undefined, {
    path: ["external_id"],
    message: "needed without email",
  })
  .refine(({ email, phone, handle }) => [email, phone, handle].some((one) => one !== undefined), {
    path: ["handle"],
    message: "needed without email and phone",
  })
  .refine(({ phone, phone_verified }) => phone === undefined || phone_verified, {
    path: ["phone"],
    message: "needs phone_verified",
  })
  .refine(
    ({ team, team_external_id, new_team }) =>
      [team, team_external_id, new_team].filter((one) => one !== undefined).length <= 1,
    { path: ["team"], message: "give one of team, team_external_id and new_team" },
  )
  .refine(({ new_team, role }) => new_team === undefined || role === undefined || role === "owner", {
    path: ["role"],
    message: "a user who founds a team is its owner",
  })
  .transform(({ role, ...user }) => ({
    ...user,
    role: role ?? (user.new_team === undefined ? "member" : "owner"),
  }));
export type UserLine = z.output<typeof userLine>;
export type UserLineInput = z.input<typeof userLine>;

/** Data that the former system has about a user, but this one cannot import. */
export type Dropped =
  | "password"
  | "second-factor"
  | "username"
  | "identities"
  | "groups"
  | "roles"
  | "attributes";

/** A user of the file, or the reason why the line is refused. */
export type ReadLine =
  | { readonly line: number; readonly user: UserLine; readonly dropped?: readonly Dropped[] }
  | { readonly line: number; readonly reason: string };

/** Longest line, in characters. */
const maxLine = 65_536;

/** Check a line about a user. */
export function readUser(line: number, value: unknown): ReadLine {
  const { success, data, error } = userLine.safeParse(value);
  if (success) return { line, user: data };
  const problems = error.issues.map(({ path, message }) => [...path.map(String), message].join(": "));
  return { line, reason: problems.join("; ") };
}

/** Read a file that arrives in pieces, with one JSON object per line. Empty lines are skipped. */
export async function* readJsonLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ReadLine> {
  let line = 0;
  for await (const bytes of splitLines(pieces)) {
    line++;
    const read = readLine(line, bytes);
    if (read !== undefined) yield read;
  }
}

const lineFeed = 0x0a;
/** Bytes that certainly hold too many characters, since no character takes more. */
const maxBytes = 3 * maxLine;

/** Not `node:readline`, which drops lines that arrive before anything reads them. */
async function* splitLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    // A line that is too long is refused without being kept in memory.
    rest = bytes.subarray(start, start + maxBytes + 1);
  }
  if (rest.length > 0) yield rest;
}

/** @returns nothing for an empty line */
function readLine(line: number, bytes: Buffer): ReadLine | undefined {
  const tooLong = { line, reason: `longer than ${maxLine} characters` };
  if (bytes.length > maxBytes) return tooLong;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { line, reason: "not UTF-8" };
  }
  if (text.length > maxLine) return tooLong;
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // The parser's message would quote a part of the line.
    return { line, reason: "not JSON" };
  }
  return readUser(line, value);
}
