import { describe, expect, it } from "vitest";
import { firstHash, writeChainFile } from "./chain-file.ts";
import { verifyChain } from "./verify-chain.ts";

/** Three files with three records each, and where they end. */
function chainOfThree() {
  const files: string[] = [];
  let previous = firstHash;
  for (const file of [1, 2, 3]) {
    const header = { chain: "installation", file, hour: `2026-11-27T0${file}`, previous };
    const { text, hash } = writeChainFile(
      header,
      [1, 2, 3].map((number) => ({ event: "app.changed", target: { client: `${file}.${number}` } })),
    );
    files.push(text);
    previous = hash;
  }
  return { files, head: { file: 3, hash: previous } };
}

const verify = (files: string[], head = chainOfThree().head) =>
  verifyChain(async (start) => {
    const index = Number(start ?? 0);
    return {
      files: files.slice(index, index + 1),
      is_cut: false,
      head,
      ...(index + 1 < files.length && { next: `${index + 1}` }),
    };
  });

const [first = "", second = "", third = ""] = chainOfThree().files;
const withoutLine = (text: string, index: number) => text.split("\n").toSpliced(index, 1).join("\n");

describe("a chain", () => {
  it("is whole if every line follows from the one before", async () => {
    const { head } = chainOfThree();
    expect(await verify([first, second, third])).toEqual({ files: 3, records: 9, hash: head.hash });
  });

  it("may be read from a later file on", async () => {
    expect(await verify([second, third])).toMatchObject({ files: 2, records: 6 });
  });

  it("may have files that take several pages", async () => {
    const { files, head } = chainOfThree();
    const [half, end] = [second.slice(0, 150), second.slice(150)];
    const pages = [
      { files: [first, half], is_cut: true, head, next: "1" },
      { files: [end.slice(0, 20)], is_cut: true, head, next: "2" },
      { files: [end.slice(20), third], is_cut: false, head },
    ];
    const readPage = async (start = "0") => pages[Number(start)] as (typeof pages)[number];
    expect(await verifyChain(readPage)).toEqual({ files: files.length, records: 9, hash: head.hash });
  });

  it.each([
    ["a line in the middle is missing", [first, withoutLine(second, 2), third]],
    ["the last line of a file is missing", [first, withoutLine(second, 3), third]],
    ["the first line of a file is missing", [first, withoutLine(second, 0), third]],
    ["a file is missing", [first, third]],
    ["the last file is missing", [first, second]],
    ["all files are missing", []],
    ["a line has changed", [first, second.replace("2.2", "2.9"), third]],
    [
      "lines have changed places",
      [
        first,
        second
          .split("\n")
          .with(1, second.split("\n")[2] ?? "")
          .join("\n"),
        third,
      ],
    ],
    ["a line was added", [first, `${second}${second.split("\n")[1]}\n`, third]],
    ["a file was cut off", [first, second.slice(0, -20), third]],
    ["files have changed places", [second, first, third]],
  ])("is broken if %s", async (_, files) => {
    expect(await verify(files)).toHaveProperty("problem");
  });
});
