import * as z from "zod";
import { locale } from "#shared/accounts/account-types.ts";
import { parseImportedHash, UnusableHashError } from "#shared/accounts/credentials/imported-hash.ts";
import { accentId } from "#shared/accounts/profiles/profile-fields.ts";
import { role } from "#shared/teams/permissions.ts";

/** The hash of a password, of which the message about a wrong one says nothing. */
const passwordHash = z.string().superRefine((text, { addIssue }) => {
  try {
    parseImportedHash(text);
  } catch (error) {
    if (!(error instanceof UnusableHashError)) throw error;
    addIssue({ code: "custom", message: error.message });
  }
});

/** One line of a file of users. Unknown fields are refused: they may be misspelt. */
const userLine = z
  .strictObject({
    /** Recognises the user in a later import, whatever else has changed; never shown. */
    external_id: z.string().min(1).max(256).optional(),
    name: z.string().min(1).max(128),
    email: z.string().max(320).optional(),
    /** Whether the former system has proved that the address is the user's. */
    email_verified: z.boolean().default(false),
    handle: z.string().optional(),
    locale: locale.optional(),
    accent_id: accentId.default(0),
    team: z.uuid().optional(),
    role: role.default("member"),
    password_hash: passwordHash.optional(),
  })
  .refine(({ external_id, email }) => external_id !== undefined || email !== undefined, {
    path: ["external_id"],
    message: "needed without email",
  })
  .refine(({ email, handle }) => email !== undefined || handle !== undefined, {
    path: ["handle"],
    message: "needed without email",
  });
export type UserLine = z.output<typeof userLine>;

/** A user of the file, or why the line is none. */
export type ReadLine =
  | { readonly line: number; readonly user: UserLine }
  | { readonly line: number; readonly reason: string };

/** Longest line, in characters. */
const maxLine = 65_536;

/** Check what a line says about a user. */
export function readUser(line: number, value: unknown): ReadLine {
  const { success, data, error } = userLine.safeParse(value);
  if (success) return { line, user: data };
  const problems = error.issues.map(({ path, message }) => [...path.map(String), message].join(": "));
  return { line, reason: problems.join("; ") };
}

/** Read the text of a file, which comes in pieces, with a JSON object a line. Empty lines are skipped. */
export async function* readJsonLines(pieces: AsyncIterable<string>): AsyncGenerator<ReadLine> {
  let line = 0;
  for await (const text of splitLines(pieces)) {
    line++;
    if (text.length > maxLine) yield { line, reason: `longer than ${maxLine} characters` };
    else if (text.trim() !== "") yield readLine(line, text.replace(/^\uFEFF/, ""));
  }
}

/** Not `node:readline`, which drops lines that arrive before somebody waits for them. */
async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    // What is too long is refused, however long it is.
    rest = (lines.pop() ?? "").slice(0, maxLine + 1);
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function readLine(line: number, text: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser has a part of the line.
    return { line, reason: "not JSON" };
  }
  return readUser(line, value);
}
