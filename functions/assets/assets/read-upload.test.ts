import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type UploadParts, uploadBody } from "../../../test/support/upload-body.ts";
import { readUpload } from "./read-upload.ts";

const lineEnd = fc.constantFrom("\r\n", "\n");
/** Arbitrary text of a line. */
const words = fc.stringMatching(/^[ -~]{0,70}$/);
const headerCase = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase());
const headers = (type: string, length: number, others: readonly string[] = []) =>
  fc
    .record({
      type: headerCase("Content-Type"),
      length: headerCase("Content-Length"),
      space: fc.constantFrom("", " ", "  "),
    })
    .chain((name) =>
      fc.shuffledSubarray(
        [`${name.type}:${name.space}${type}`, `${name.length}:${name.space}${length}`, ...others],
        { minLength: 2 + others.length },
      ),
    );

const options = fc.record(
  {
    public: fc.option(fc.boolean()),
    retention: fc.option(
      fc.constantFrom("eternal", "persistent", "volatile", "eternal-infrequent_access", "expiring"),
    ),
    filename: fc.string(),
    convId: fc.object(),
  },
  { requiredKeys: [] },
);

/** An upload, and the bytes before and after the file within its body. */
const upload = fc
  .record({
    options,
    content: fc.uint8Array({ minLength: 1, maxLength: 300 }),
    boundary: words,
    second: words,
    first: fc.constantFrom("", "\r\n", "\n"),
    between: lineEnd,
    hasHash: fc.boolean(),
    isClosed: fc.boolean(),
  })
  .chain((parts) => {
    const json = Buffer.from(JSON.stringify(parts.options));
    return fc.record({
      parts: fc.constant(parts),
      json: fc.constant(json),
      optionsHeaders: headers("application/json;charset=utf-8", json.length),
      fileHeaders: headers(
        "image/png",
        parts.content.length,
        parts.hasHash ? [`Content-MD5: ${md5(parts.content)}`] : [],
      ),
    });
  })
  .map(({ parts, json, optionsHeaders, fileHeaders }) => {
    const { between, boundary, content, first, isClosed, second } = parts;
    const line = (text: string) => `${text}${between}`;
    const before = Buffer.concat([
      Buffer.from(first + line(`--${boundary}`) + optionsHeaders.map(line).join("") + between),
      json,
      Buffer.from(between + line(`--${second}`) + fileHeaders.map(line).join("") + between),
    ]);
    const after = Buffer.from(isClosed ? `${between}--${second.trimEnd()}--${between}` : "");
    return { options: parts.options, content: Buffer.from(content), before, after };
  });

const md5 = (bytes: Uint8Array | string) => createHash("md5").update(bytes).digest("base64");

/** How a body may arrive. */
const arrivals = {
  "in one chunk": (body: Buffer) => [body],
  "byte by byte": (body: Buffer) => Array.from(body, (_, index) => body.subarray(index, index + 1)),
  "in uneven chunks, some of them empty": (body: Buffer) => {
    const cuts = [0, 1, 1, 3, 40, 47, 80, 141, 200, 1100, body.length].filter((cut) => cut <= body.length);
    return cuts.map((cut, index) => body.subarray(cuts[index - 1] ?? 0, cut));
  },
} satisfies Record<string, (body: Buffer) => Buffer[]>;
type Arriving = (typeof arrivals)[keyof typeof arrivals];

async function* streamOf(chunks: readonly Uint8Array[]) {
  yield* chunks;
}

async function readAll(chunks: readonly Uint8Array[], maxBytes: number) {
  const { content, ...rest } = await readUpload(streamOf(chunks), maxBytes);
  const read: Uint8Array[] = [];
  for await (const chunk of content) read.push(chunk);
  return { ...rest, chunks: read, content: Buffer.concat(read) };
}

const outcomeIn = async (chunks: readonly Uint8Array[], maxBytes: number): Promise<string> => {
  try {
    await readAll(chunks, maxBytes);
    return "stored";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.error;
  }
};

const json = { "Content-Type": "application/json", "Content-Length": "2" };
const file = { "Content-Type": "application/octet-stream", "Content-Length": "7" };

describe.each(Object.entries(arrivals))("the body of an upload that arrives %s", (_, arrive: Arriving) => {
  const read = (body: Buffer, maxBytes: number) => readAll(arrive(body), maxBytes);
  const outcomeOf = (body: Buffer, maxBytes = 10_000) => outcomeIn(arrive(body), maxBytes);

  it("is read exactly in every form that the grammar allows", async () => {
    await fc.assert(
      fc.asyncProperty(upload, async ({ options, content, before, after }) => {
        const found = await read(Buffer.concat([before, content, after]), 300);
        expect(found.content.equals(content)).toBe(true);
        expect(found.isPublic).toBe(options.public ?? false);
        expect(found.retention).toBe(options.retention ?? "persistent");
      }),
    );
  });

  it.each(["\n", "\r\n"])(
    "may contain a file that ends like a line, between lines that end with %j",
    async (lineEnds) => {
      const lines = ["--x", "Content-Type: application/json", "Content-Length: 2", "", "{}", "--x"];
      const before = [...lines, "Content-Type: a/b", "Content-Length: 2", "", ""].join(lineEnds);
      for (const content of ["a\r", "a\n", "\r\n", "\n\r"]) {
        const found = await read(Buffer.from(`${before}${content}${lineEnds}--x--${lineEnds}`), 300);
        expect(found.content.toString()).toBe(content);
      }
    },
  );

  it("is incomplete when bytes of its file are missing, even if others follow", async () => {
    const cut = upload.chain((one) =>
      fc.record({ one: fc.constant(one), kept: fc.nat({ max: one.content.length - 1 }) }),
    );
    await fc.assert(
      fc.asyncProperty(cut, async ({ one: { before, content, after }, kept }) => {
        expect(await outcomeOf(Buffer.concat([before, content.subarray(0, kept), after]))).toBe(
          "incomplete-body",
        );
      }),
    );
  });

  it("is malformed when it ends before its file begins", async () => {
    const cut = upload.chain(({ before }) =>
      fc.nat({ max: before.length - 1 }).map((kept) => before.subarray(0, kept)),
    );
    await fc.assert(
      fc.asyncProperty(cut, async (body) => {
        expect(await outcomeOf(body)).toBe("malformed-upload");
      }),
    );
  });

  it("is refused beyond the limit before its bytes are read", async () => {
    await fc.assert(
      fc.asyncProperty(upload, async ({ before, content }) => {
        expect(await outcomeOf(before, content.length - 1)).toBe("asset-too-large");
      }),
    );
  });

  it("is refused as malformed in any other form, and never fails in another way", async () => {
    const pieces = fc.constantFrom(
      ...["\r\n", "\n", "\r", "--", "--a", ":", "Content-Type: application/json", "content-length: 2"],
      ...["{}", "Content-Length: 0", "Content-Length: 1", "\u0000", "{", "a"],
    );
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
      fc.array(pieces, { maxLength: 30 }).map((texts) => Buffer.from(texts.join(""))),
    );
    const known = ["stored", "malformed-upload", "invalid-length", "incomplete-body", "asset-too-large"];
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        expect(known).toContain(await outcomeOf(body));
      }),
      { numRuns: 2000 },
    );
  });

  it.each<[string, UploadParts]>([
    ["web clients send it", {}],
    ["others send it", { boundary: "frontier" }],
    ["lines may end with LF", { lineEnd: "\n" }],
    ["it may begin with an empty line", { beginning: "\r\n" }],
    ["its boundary differs from that of the header", { boundary: "another" }],
    ["its boundary is empty", { boundary: "" }],
    ["it says no hash", { fileHeaders: file }],
    ["its hash is none", { fileHeaders: { ...file, "Content-MD5": "9a0364b9e99bb480dd25e1f0284c8555" } }],
    ["nothing follows the file", { ending: "" }],
    ["anything follows the file", { ending: `\r\n${"x".repeat(1000)}` }],
    ["64 KiB follow the file", { ending: "x".repeat(65_536) }],
    ["the file contains the boundary", { content: "\r\n--FrontierIyj6RcVrqMcxNtMEWPsNpuPm325QsvWQ\r\n" }],
    [
      "headers have another order and case",
      {
        optionsHeaders: { "CONTENT-LENGTH": "2", "content-type": "application/json" },
        fileHeaders: { "content-length": "7", "Content-type": "image/png" },
      },
    ],
  ])("is read as %s", async (_, parts) => {
    const { content } = await read(uploadBody(parts), 1000);
    expect(content.toString("latin1")).toBe(parts.content ?? "content");
  });

  it.each<[string, UploadParts | Buffer]>([
    ["nothing at all", Buffer.alloc(0)],
    ["only a line end", Buffer.from("\r\n")],
    ["zeros", Buffer.alloc(5000)],
    ["no boundary", Buffer.from("Content-Type: application/json\r\n\r\n")],
    ["one part only", uploadBody().subarray(0, 140)],
    ["a third header in its first part", { optionsHeaders: { ...json, "Content-MD5": "x" } }],
    ["a header twice", { optionsHeaders: { ...json, "content-type": "application/json" } }],
    ["no type in its first part", { optionsHeaders: { "Content-Length": "2" } }],
    ["no length in its first part", { optionsHeaders: { "Content-Type": "application/json" } }],
    ["another type in its first part", { optionsHeaders: { ...json, "Content-Type": "text/plain" } }],
    ["a length of its first part that is too small", { optionsHeaders: { ...json, "Content-Length": "1" } }],
    [
      "a length of its first part that is too large",
      { optionsHeaders: { ...json, "Content-Length": "99999999" } },
    ],
    ["a length of its first part below zero", { optionsHeaders: { ...json, "Content-Length": "-2" } }],
    ["a length that is not a number", { fileHeaders: { ...file, "Content-Length": "0x7" } }],
    ["a length of hundreds of digits", { fileHeaders: { ...file, "Content-Length": "9".repeat(300) } }],
    ["no type of the file", { fileHeaders: { "Content-Length": "7" } }],
    ["no length of the file", { fileHeaders: { "Content-Type": "image/png" } }],
    ["another header of the file", { fileHeaders: { ...file, "Content-Disposition": "inline" } }],
    ["a line without end", { fileHeaders: { ...file, "Content-MD5": "x".repeat(100_000) } }],
    ["a header without colon", { fileHeaders: { ...file, "": "" } }],
    ["options that are far too long", { options: { filename: "x".repeat(70_000) } }],
    ["the hash of another file", { fileHeaders: { ...file, "Content-MD5": md5("another") } }],
    ["text instead of JSON", { options: "public" }],
    ["a list instead of options", { options: [] }],
    ["null instead of options", { options: "null" }],
    ["an unknown retention", { options: { retention: "forever" } }],
    ["a retention of every object", { options: { retention: "constructor" } }],
    ["a number instead of a retention", { options: { retention: 2 } }],
    ["a text instead of a boolean", { options: { public: "true" } }],
  ])("is malformed with %s", async (_, parts) => {
    expect(await outcomeOf(Buffer.isBuffer(parts) ? parts : uploadBody(parts))).toBe("malformed-upload");
  });

  it.each(["0", "-1", "-999"])("is refused with a file of %s bytes", async (length) => {
    expect(await outcomeOf(uploadBody({ fileHeaders: { ...file, "Content-Length": length } }))).toBe(
      "invalid-length",
    );
  });

  it.each<[string, number, string | undefined]>([
    ["a hundred bytes fewer than announced", 100, undefined],
    ["a hundred bytes fewer, and nothing after them", 100, ""],
    ["one byte fewer", 1, undefined],
    ["as many bytes fewer as the closing line has", 46, undefined],
    ["no byte", 7, ""],
  ])("is incomplete with %s", async (_, missing, ending) => {
    const content = Buffer.alloc(200, "x");
    const fileHeaders = { ...file, "Content-Length": String(content.length + missing) };
    expect(
      await outcomeOf(uploadBody({ content, fileHeaders, ...(ending !== undefined && { ending }) })),
    ).toBe("incomplete-body");
  });

  it("is too large when more than 64 KiB follow the file", async () => {
    expect(await outcomeOf(uploadBody({ ending: "x".repeat(65_537) }))).toBe("body-too-large");
  });
});

it("the file is passed on as views of the received bytes, not as copies", async () => {
  for (const { before, content } of fc.sample(upload, 1)) {
    const body = Buffer.concat([before, content]);
    const { chunks } = await readAll([body], 1000);
    expect(chunks.map(({ buffer }) => buffer)).toEqual([body.buffer]);
  }
});
