import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { acceptsGzip, csvLine, gzipped, joined } from "./export-members.ts";

describe("a line of a CSV file", () => {
  it("has every field in quotes, and ends with CR and LF", () => {
    expect(csvLine(["Ada", "", "3"])).toBe('"Ada","","3"\r\n');
  });

  it("doubles quotes, and keeps line breaks and commas within a field", () => {
    expect(csvLine(['say "hi"', "a,b", "c\r\nd"])).toBe('"say ""hi""","a,b","c\r\nd"\r\n');
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1"])(
    "keeps a spreadsheet from evaluating %j",
    (text) => {
      expect(csvLine([text])).toBe(`"'${text}"\r\n`);
    },
  );

  it("leaves such characters alone anywhere but at the start", () => {
    expect(csvLine(["1=1", " =1", "a@b"])).toBe('"1=1"," =1","a@b"\r\n');
  });
});

describe("a client", () => {
  it.each(["gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*"])(
    "that accepts %j gets a compressed file",
    (header) => {
      expect(acceptsGzip(header)).toBe(true);
    },
  );

  it.each([undefined, "", "br", "identity", "gzip;q=0", "identity, gzip;q=0.5"])(
    "that accepts %j gets the file uncompressed",
    (header) => {
      expect(acceptsGzip(header)).toBe(false);
    },
  );
});

describe.each([
  ["a file", joined],
  ["a compressed file", gzipped],
])("%s", (_, write) => {
  const textOf = (file: string | Buffer) => (typeof file === "string" ? file : gunzipSync(file).toString());

  it("has all lines", async () => {
    expect(textOf(await write(lines(["a\r\n", "Ä😀\r\n"])))).toBe("a\r\nÄ😀\r\n");
  });

  it("fails once it no longer fits into an answer, without reading on", async () => {
    let read = 0;
    const endless = async function* () {
      for (;;) {
        read++;
        yield randomBytes(30_000).toString("base64");
      }
    };
    await expect(write(endless())).rejects.toMatchObject({ error: "export-too-large" });
    expect(read).toBeLessThan(400);
  });

  it("fails when a line cannot be read", async () => {
    const failing = async function* () {
      yield "a";
      throw new Error("lost");
    };
    await expect(write(failing())).rejects.toThrow("lost");
  });
});

async function* lines(texts: readonly string[]) {
  yield* texts;
}
