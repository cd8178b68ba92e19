import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type ReadLine, readJsonLines } from "./user-line.ts";

/** A file that arrives in these pieces. */
const fileOf = (pieces: readonly (string | Buffer)[]) =>
  Readable.from(pieces.map((piece) => Buffer.from(piece as string)));

async function linesIn(pieces: AsyncIterable<Uint8Array>): Promise<ReadLine[]> {
  const lines: ReadLine[] = [];
  for await (const line of readJsonLines(pieces)) {
    lines.push(line);
    await turn();
  }
  return lines;
}

describe("a file of users", () => {
  it("loses no line, even if it is cut anywhere and read slowly", async () => {
    const text = Array.from({ length: 500 }, (_, index) =>
      JSON.stringify({ name: `Ädä ${index}`, email: `u${index}@example.com` }),
    ).join("\r\n");
    const bytes = Buffer.from(text);
    const pieces = fileOf(
      Array.from({ length: Math.ceil(bytes.length / 37) }, (_, index) =>
        bytes.subarray(index * 37, index * 37 + 37),
      ),
    );
    await turn();
    const lines = await linesIn(pieces);
    expect(lines.map((read) => ("user" in read ? read.user.email : read.reason))).toEqual(
      Array.from({ length: 500 }, (_, index) => `u${index}@example.com`),
    );
    expect(lines.at(-1)?.line).toBe(500);
  });

  it("may begin with a byte order mark", async () => {
    expect(await linesIn(fileOf(['\uFEFF{"name":"Ada","email":"ada@example.com"}\n']))).toEqual([
      expect.objectContaining({ line: 1, user: expect.objectContaining({ name: "Ada", role: "member" }) }),
    ]);
  });

  it("never repeats what a refused line contains", async () => {
    const secret = "correct-horse";
    const lines = await linesIn(
      fileOf([
        `{"name":"Ada","email":"ada@example.com","password_hash":"${secret}"}\n`,
        `{"name": ${secret}}\n`,
        `{"name":"Ada","email":"ada@example.com","role":"${secret}","team":"${secret}","locale":"${secret}"}\n`,
      ]),
    );
    expect(lines.every((read) => "reason" in read)).toBe(true);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it("is refused line by line where it is not UTF-8, or contains half a character", async () => {
    const latin1 = Buffer.from('{"name":"M\u00fcller","email":"m@example.com"}\n', "latin1");
    const half = Buffer.from(
      '{"name":"A\\ud83d","email":"a@example.com"}\n{"name":"\\ud83d\\ude00","email":"b@example.com"}\n',
    );
    const replaced = '{"name":"\uFFFD","email":"c@example.com"}';
    const lines = await linesIn(fileOf([latin1, half, replaced]));
    expect(lines.map((read) => ("user" in read ? read.user.name : read.reason))).toEqual([
      "not UTF-8",
      "not JSON",
      "\u{1F600}",
      "\uFFFD",
    ]);
  });

  it("cannot change the prototypes of objects", async () => {
    const lines = await linesIn(
      fileOf(['{"__proto__":{"role":"owner"},"name":"Ada","email":"ada@example.com"}\n']),
    );
    expect(lines).toEqual([{ line: 1, reason: expect.stringContaining("__proto__") }]);
    expect({}).not.toHaveProperty("role");
  });
});
