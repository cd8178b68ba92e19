import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { message } from "../protobuf.ts";
import { readBody } from "./read-body.ts";
import type { HttpEvent } from "./request.ts";
import type { Route } from "./route.ts";

const route: Route = {
  method: "POST",
  audit: { none: "a test" },
  path: "/things",
  auth: "none",
  summary: "",
  body: z.unknown(),
  bodyLimit: 1000,
  responses: { 200: null },
  errors: [],
};

const eventOf = (
  body: string,
  isBase64Encoded: boolean,
  encoding: string | undefined = "gzip",
  type = "application/json",
) =>
  ({
    body,
    isBase64Encoded,
    headers: { "content-type": type, "content-encoding": encoding },
  }) as unknown as HttpEvent;

/** The ways in which a gateway can pass a compressed body on, with the header that says it is compressed. */
const ways: [string, (content: string | Buffer) => HttpEvent][] = [
  ["in base64", (content) => eventOf(gzipSync(content).toString("base64"), true)],
  ["as text, a character for each byte", (content) => eventOf(gzipSync(content).toString("latin1"), false)],
  ["already inflated, as text", (content) => eventOf(content.toString(), false)],
  ["already inflated, in base64", (content) => eventOf(Buffer.from(content).toString("base64"), true)],
];

describe.each(ways)("a compressed body that arrives %s", (_, arrive) => {
  it("is read in full", () => {
    expect(readBody(arrive('{"name":"Ä😀"}'), route)).toEqual({ name: "Ä😀" });
  });

  it("is limited by its decompressed size", () => {
    const tooLarge = expect.objectContaining({ error: "body-too-large" });
    expect(() => readBody(arrive(JSON.stringify("x".repeat(999))), route)).toThrow(tooLarge);
    expect(() => readBody(arrive(Buffer.alloc(20_000_000, " ")), route)).toThrow(tooLarge);
    expect(readBody(arrive(JSON.stringify("x".repeat(998))), route)).toBe("x".repeat(998));
  });

  it("is refused when it is not JSON", () => {
    const badRequest = expect.objectContaining({ error: "bad-request" });
    expect(() => readBody(arrive("{"), route)).toThrow(badRequest);
  });
});

describe("a content encoding", () => {
  const compressed = gzipSync('{"name":"x"}').toString("base64");

  it.each(["gzip", "GZIP", "x-gzip", "gzip,", ", gzip", "identity, gzip"])(
    "may be %j for gzip",
    (encoding) => {
      expect(readBody(eventOf(compressed, true, encoding), route)).toEqual({ name: "x" });
    },
  );

  it.each(["", ",", "identity"])("may be %j for none", (encoding) => {
    expect(readBody(eventOf('{"name":"x"}', false, encoding), route)).toEqual({ name: "x" });
  });

  it.each(["br", "deflate", "gzip, gzip", "gzip, br", "x-gzip-like"])(
    "is refused when it is %j",
    (encoding) => {
      const unsupported = expect.objectContaining({
        error: "unsupported-media-type",
        headers: { "accept-encoding": "gzip" },
      });
      expect(() => readBody(eventOf(compressed, true, encoding), route)).toThrow(unsupported);
    },
  );

  it("is not named in the refusal of a media type", () => {
    const event = { ...eventOf("{}", false, "identity"), headers: { "content-type": "text/plain" } };
    const unsupported = expect.objectContaining({ error: "unsupported-media-type", headers: {} });
    expect(() => readBody(event, route)).toThrow(unsupported);
  });
});

const withWrongChecksum = Buffer.concat([gzipSync("{}").subarray(0, -8), Buffer.alloc(8)]);

describe("a compressed body that lost bytes on the way", () => {
  it.each([
    ["the gateway replaced what is not UTF-8", eventOf(gzipSync('{"name":"x"}').toString("utf8"), false)],
    ["its checksum is wrong", eventOf(withWrongChecksum.toString("base64"), true)],
    ["its end is missing", eventOf(gzipSync("{}").subarray(0, -3).toString("base64"), true)],
    ["there is nothing but the mark", eventOf(Buffer.from([0x1f, 0x8b]).toString("base64"), true)],
    ["it was compressed twice", eventOf(gzipSync(gzipSync("{}")).toString("base64"), true)],
  ])("is refused: %s", (_, event) => {
    expect(() => readBody(event, route)).toThrow(expect.objectContaining({ error: "bad-request" }));
  });
});

it("a body is limited to 64 KB unless its route sets another limit", () => {
  const read = (size: number) =>
    readBody(eventOf("0".padStart(size), false, "identity"), { ...route, bodyLimit: undefined });
  expect(read(65_536)).toBe(0);
  expect(() => read(65_537)).toThrow(expect.objectContaining({ error: "body-too-large" }));
});

const listOf = (count: number) => `[${Array(count).fill(0)}]`;
const readLong = (text: string, bodyFormat?: Route["bodyFormat"]) =>
  readBody(eventOf(text, false, "identity"), { ...route, bodyLimit: 1_000_000, bodyFormat });

it("a body with too many values to validate is refused, unless it is kept as text", () => {
  const refused = expect.objectContaining({ error: "bad-request" });
  const lists = (count: number) => `[${Array(15).fill(listOf(count))}]`;
  expect(readLong(lists(9998))).toHaveLength(15);
  expect(() => readLong(lists(9999))).toThrow(refused);
  expect(readLong(lists(11_000), "json-text")).toBe(lists(11_000));
});

it.each([
  ["a list", listOf],
  ["an object", (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":0`)}}`],
])("a body with too many values in %s is refused, unless it is kept as text", (_, valuesOf) => {
  expect(readLong(`[${valuesOf(10_000)}]`)).toHaveLength(1);
  expect(() => readLong(`[${valuesOf(10_001)}]`)).toThrow(expect.objectContaining({ error: "bad-request" }));
  expect(readLong(valuesOf(10_001), "json-text")).toBe(valuesOf(10_001));
});

it("a form with too many parameters is refused", () => {
  const form = (count: number) => ({
    ...eventOf(Array.from({ length: count }, (_, index) => `${index}=1`).join("&"), false, "identity"),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const readForm = (count: number) =>
    readBody(form(count), { ...route, bodyLimit: 1_000_000, bodyFormat: "form" });
  expect(Object.keys(readForm(10_000) as object)).toHaveLength(10_000);
  expect(() => readForm(10_001)).toThrow(expect.objectContaining({ error: "bad-request" }));
});

it("a form with too many parts is refused", async () => {
  const part = "--x\r\ncontent-disposition: form-data; name=a\r\n\r\n\r\n";
  const readParts = async (count: number) =>
    readBody(
      {
        ...eventOf(`${part.repeat(count)}--x--\r\n`, false, "identity"),
        headers: { "content-type": "multipart/form-data; boundary=x" },
      },
      { ...route, body: z.looseObject({}), bodyLimit: 1_000_000, bodyFormat: "form-or-multipart" },
    );
  await expect(readParts(1)).resolves.toEqual({});
  await expect(readParts(10_001)).rejects.toThrow("more than 10000 parts");
});

it("the values of all levels of a body are counted together", () => {
  const lists = Array(15).fill(listOf(9900));
  const most = `[${lists},[${listOf(1482)}]]`;
  expect(readLong(most)).toHaveLength(16);
  expect(() => readLong(most.replace("0", "0,0"))).toThrow(expect.objectContaining({ error: "bad-request" }));
});

it("the levels of a body are counted including the innermost values", () => {
  const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}0${"]}".repeat(depth / 2)}`;
  expect(readLong(nested(64))).toHaveProperty("a");
  expect(() => readLong(nested(66))).toThrow(expect.objectContaining({ error: "bad-request" }));
  expect(() => readLong(nested(66), "json-text")).toThrow(expect.objectContaining({ error: "bad-request" }));
});

describe("a body with large integers", () => {
  const read = (text: string, bodyFormat?: Route["bodyFormat"]) =>
    readBody(eventOf(text, false, "identity"), { ...route, bodyFormat });

  it("keeps them exact where the route asks for it", () => {
    const text = '{"mask":18446744073709551615,"n":[-9007199254740993]}';
    expect(JSON.stringify(read(text, "json-int64"))).toBe(text);
  });

  it("has its other numbers and its texts read as usual", () => {
    const text = '{"a":9007199254740991,"b":1e300,"c":"18446744073709551615","d":0.12345678901234567}';
    expect(read(text, "json-int64")).toEqual(JSON.parse(text));
  });

  it("has them rounded where the route does not ask for that", () => {
    expect(read("18446744073709551615")).toBe(2 ** 64);
  });
});

describe("a body in protobuf", () => {
  const protobuf = {
    message: message("Digits", {}),
    decode: (bytes: Uint8Array) => {
      if (bytes.includes(0)) throw new RangeError("premature end");
      return [...bytes];
    },
  };
  const type = "application/x-protobuf";
  const read = (bytes: Buffer, changes: Partial<Route> = {}, encoding = "identity") =>
    readBody(eventOf(bytes.toString("base64"), true, encoding, type), {
      ...route,
      bodyFormat: "protobuf",
      protobuf,
      ...changes,
    } as Route);
  const refused = (error: string) => expect.objectContaining({ error });

  it("is decoded, compressed or not", () => {
    expect(read(Buffer.from([1, 255]))).toEqual([1, 255]);
    expect(read(gzipSync(Buffer.from([1, 255])), {}, "gzip")).toEqual([1, 255]);
    expect(read(Buffer.from([1]), { bodyFormat: "json-or-protobuf" })).toEqual([1]);
  });

  it("is refused when it contains something else", () => {
    expect(() => read(Buffer.from([1, 0]))).toThrow(refused("bad-request"));
  });
});
