import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CommandError } from "./command-error.ts";
import { readText, streamFile } from "./read-text.ts";

const folder = mkdtempSync(join(tmpdir(), "read-text-"));
const file = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

describe("the text of a file", () => {
  it("is read as UTF-8", async () => {
    expect(await readText(file("text", "é\n"))).toBe("é\n");
    expect(await readText(file("empty", ""))).toBe("");
  });

  it("is refused with the reason", async () => {
    const large = file("large", "");
    truncateSync(large, 256 * 2 ** 20 + 1);
    for (const [name, problem] of [
      [large, `${large} has more than 256 MiB`],
      [file("latin", new Uint8Array([0xe9])), "is not UTF-8"],
      [folder, `${folder} is no file`],
      ["/dev/zero", "/dev/zero is no file"],
      [join(folder, "nowhere"), `There is no file ${folder}/nowhere`],
    ] as const)
      await expect(readText(name)).rejects.toSatisfy(
        (error) => error instanceof CommandError && error.message.includes(problem),
      );
  });

  it("arrives in pieces if it may be long", async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of await streamFile(file("pieces", "é\n".repeat(100_000)))) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces).toString()).toBe("é\n".repeat(100_000));
    await expect(streamFile(folder)).rejects.toThrow(`${folder} is no file`);
    await expect(streamFile(join(folder, "nowhere"))).rejects.toThrow("There is no file");
  });

  it("stays closed until somebody reads it", async () => {
    const unread = file("unread", "a");
    const pieces = await streamFile(unread);
    rmSync(unread);
    await expect(pieces[Symbol.asyncIterator]().next()).rejects.toThrow("ENOENT");
  });
});
