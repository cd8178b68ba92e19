import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { readUpload } from "./upload-body.ts";

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
        parts.hasHash ? ["Content-MD5: CY9rzUYh03PK3k6DJie09g=="] : [],
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

const outcomeOf = (body: Uint8Array, maxBytes = 10_000): string => {
  try {
    readUpload(body, maxBytes);
    return "stored";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.error;
  }
};

describe("the body of an upload", () => {
  it("is read exactly in every form that the grammar allows", () => {
    fc.assert(
      fc.property(upload, ({ options, content, before, after }) => {
        const read = readUpload(Buffer.concat([before, content, after]), 300);
        expect(Buffer.from(read.content).equals(content)).toBe(true);
        expect(read.isPublic).toBe(options.public ?? false);
        expect(read.retention).toBe(options.retention ?? "persistent");
      }),
    );
  });

  it.each(["\n", "\r\n"])(
    "may contain a file that ends like a line, between lines that end with %j",
    (lineEnds) => {
      const lines = ["--x", "Content-Type: application/json", "Content-Length: 2", "", "{}", "--x"];
      const before = [...lines, "Content-Type: a/b", "Content-Length: 2", "", ""].join(lineEnds);
      for (const content of ["a\r", "a\n", "\r\n", "\n\r"]) {
        const read = readUpload(Buffer.from(`${before}${content}${lineEnds}--x--${lineEnds}`), 300);
        expect(Buffer.from(read.content).toString()).toBe(content);
      }
    },
  );

  it("is incomplete when any number of the bytes of its file are missing, whatever follows", () => {
    const cut = upload.chain((one) =>
      fc.record({ one: fc.constant(one), kept: fc.nat({ max: one.content.length - 1 }) }),
    );
    fc.assert(
      fc.property(cut, ({ one: { before, content, after }, kept }) => {
        expect(outcomeOf(Buffer.concat([before, content.subarray(0, kept), after]))).toBe("incomplete-body");
      }),
    );
  });

  it("is malformed when it ends before its file begins", () => {
    const cut = upload.chain(({ before }) =>
      fc.nat({ max: before.length - 1 }).map((kept) => before.subarray(0, kept)),
    );
    fc.assert(
      fc.property(cut, (body) => {
        expect(outcomeOf(body)).toBe("malformed-upload");
      }),
    );
  });

  it("is refused beyond the limit before its bytes are looked at", () => {
    fc.assert(
      fc.property(upload, ({ before, content }) => {
        expect(outcomeOf(before, content.length - 1)).toBe("asset-too-large");
      }),
    );
  });

  it("is refused as malformed in any other form, and never fails in another way", () => {
    const pieces = fc.constantFrom(
      ...["\r\n", "\n", "\r", "--", "--a", ":", "Content-Type: application/json", "content-length: 2"],
      ...["{}", "Content-Length: 0", "Content-Length: 1", "\u0000", "{", "a"],
    );
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
      fc.array(pieces, { maxLength: 30 }).map((texts) => Buffer.from(texts.join(""))),
    );
    const known = ["stored", "malformed-upload", "invalid-length", "incomplete-body", "asset-too-large"];
    fc.assert(
      fc.property(bodies, (body) => {
        expect(known).toContain(outcomeOf(body));
      }),
      { numRuns: 2000 },
    );
  });

  it("is a view of the received bytes, not a copy", () => {
    for (const { before, content } of fc.sample(upload, 1)) {
      const body = Buffer.concat([before, content]);
      expect(readUpload(body, 1000).content.buffer).toBe(body.buffer);
    }
  });
});
