import { describe, expect, it } from "vitest";
import * as z from "zod";
import { message } from "../protobuf.ts";
import { readBody } from "./read-body.ts";
import type { HttpEvent } from "./request.ts";
import type { Route } from "./route.ts";

/** Each format of bodies, as it arrives in base64. */

type Format = NonNullable<Route["bodyFormat"]>;

const typesOf: Readonly<Record<Format, readonly string[]>> = {
  json: ["application/json"],
  "json-text": ["application/json"],
  "json-int64": ["application/json"],
  form: ["application/x-www-form-urlencoded"],
  "form-or-multipart": ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
  "json-or-form": ["application/json", "application/x-www-form-urlencoded"],
  "json-or-protobuf": ["application/json", "application/x-protobuf"],
  mls: ["message/mls"],
  "multipart-mixed": ["multipart/mixed; boundary=x"],
  protobuf: ["application/x-protobuf"],
  scim: ["application/scim+json", "application/json"],
  "xml-or-json": ["application/xml", "text/xml", "application/samlmetadata+xml", "application/json"],
};
const formats = Object.keys(typesOf) as Format[];
const allTypes = [
  ...new Set(Object.values(typesOf).flat()),
  "application/protobuf",
  "application/octet-stream",
  "text/plain",
  "text/html",
  "application/vnd.api+json",
  "json",
  "form",
  "xml",
  "",
];

function read(
  bodyFormat: Format,
  body: string | Buffer,
  type = typesOf[bodyFormat][0],
  schema: z.ZodType = z.unknown(),
) {
  const headers = { "content-type": type };
  const event = { body: Buffer.from(body).toString("base64"), isBase64Encoded: true, headers };
  const protobuf = { message: message("Digits", {}), decode: (bytes: Uint8Array) => [...bytes] };
  return readBody(
    event as unknown as HttpEvent,
    { path: "/", body: schema, bodyFormat, protobuf } as unknown as Route,
  );
}

const isText = (format: Format) => !["mls", "multipart-mixed", "protobuf"].includes(format);
const isJson = (format: Format) => typesOf[format][0]?.endsWith("json") ?? false;
const part = (name: string, value: string) =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
/** A body that the first type of a format takes. */
const validIn = (format: Format) => (isJson(format) ? "{}" : "a=1");
const refusedAs = (error: string) => expect.objectContaining({ error });

describe.each(formats)("a body in the format %s", (format) => {
  const [type = ""] = typesOf[format];

  it("is refused as an unsupported media type with a content type of other formats, or none", () => {
    const others = allTypes.filter((one) => !typesOf[format].includes(one));
    for (const other of [...others, type.replace(/\w+/, "x-$&"), `${type.split(";")[0]}x`])
      expect(() => read(format, validIn(format), other), other).toThrow(refusedAs("unsupported-media-type"));
    const event = { body: "e30=", isBase64Encoded: true, headers: {} } as unknown as HttpEvent;
    expect(() =>
      readBody(event, { path: "/", body: z.unknown(), bodyFormat: format } as unknown as Route),
    ).toThrow(refusedAs("unsupported-media-type"));
  });

  it("may name its content type in any case, with a charset", () => {
    const expected = read(format, validIn(format));
    expect(read(format, validIn(format), ` ${type.toUpperCase()} ;charset=UTF-8`)).toEqual(expected);
  });
});

it.each(typesOf["xml-or-json"])("takes metadata as %s", (type) => {
  expect(read("xml-or-json", "<a/>", type)).toBe("<a/>");
});

describe("a body of text", () => {
  it.each(formats.filter(isText))("is refused when it is not UTF-8: %s", (format) => {
    const notUtf8 = [
      Buffer.from('{"name":"\xff\xfe"}', "latin1"),
      Buffer.from('{"name":"\xc0\xaf"}', "latin1"),
      Buffer.from('{"name":"\xed\xa0\x80"}', "latin1"),
      Buffer.from("<a>\xff</a>", "latin1"),
    ];
    for (const body of notUtf8) expect(() => read(format, body)).toThrow(refusedAs("bad-request"));
  });
});

describe("a body whose characters a gateway has replaced", () => {
  const route = { path: "/", body: z.unknown() } as unknown as Route;
  const arriving = (headers: Record<string, string>) =>
    readBody(
      {
        body: '{"name":"\ufffd"}',
        isBase64Encoded: false,
        headers: { "content-type": "application/json", ...headers },
      } as unknown as HttpEvent,
      route,
    );

  it("is refused, unless it was sent like that", () => {
    expect(() => arriving({ "content-length": "12" })).toThrow(refusedAs("bad-request"));
    expect(arriving({ "content-length": "14" })).toEqual({ name: "\ufffd" });
    expect(arriving({})).toEqual({ name: "\ufffd" });
  });
});

describe("a body in XML", () => {
  const xml = '<?xml version="1.0" encoding="utf-16"?><a>é</a>';
  const expected = '<?xml version="1.0" encoding="UTF-8"?><a>é</a>';
  const little = Buffer.from(`\ufeff${xml}`, "utf16le");

  it("may be in UTF-16 with a byte order mark", () => {
    expect(read("xml-or-json", little)).toBe(expected);
    expect(read("xml-or-json", Buffer.from(little).swap16())).toBe(expected);
  });

  it("is refused in UTF-16 without the mark, or with half a character", () => {
    for (const body of [little.subarray(2), little.subarray(0, -1), Buffer.from("\ufeff\ud800", "utf16le")])
      expect(() => read("xml-or-json", body)).toThrow(refusedAs("bad-request"));
  });
});

describe("a body in JSON", () => {
  const notJson = {
    "an open brace": "{",
    "an open string": '{"name":"x',
    "two values": "{} {}",
    "a word": "undefined",
    "not a number": "NaN",
    "single quotes": "{'name':'x'}",
    "a trailing comma": '{"name":"x",}',
    "deep nesting": "[".repeat(60_000),
    "half a character": '{"name":"\\ud800"}',
    "half a character in a name": '{"\\udc00\\ud800":1}',
    "UTF-16": Buffer.from('{"name":"x"}', "utf16le"),
  };

  it.each(formats.filter(isJson))("is refused when it is something else: %s", (format) => {
    for (const [name, body] of Object.entries(notJson))
      expect(() => read(format, body), name).toThrow(refusedAs("bad-request"));
  });

  it("is refused beyond 64 levels of nesting, even where it is kept as text", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    for (const format of formats.filter(isJson)) {
      expect(() => read(format, nested(65)), format).not.toThrow();
      expect(() => read(format, nested(66)), format).toThrow(refusedAs("bad-request"));
    }
  });
});

describe("a form", () => {
  const inForm = "application/x-www-form-urlencoded";
  const forms = formats.filter((format) => typesOf[format].includes(inForm));

  it.each(forms)("has every text as a field, except empty ones: %s", async (format) => {
    const texts: [string, Record<string, string>][] = [
      ["", {}],
      ["a=1&b=%F0%9F%99%82+x", { a: "1", b: "🙂 x" }],
      ["x", {}],
      ["&&=&", {}],
      ["a=&b=1", { b: "1" }],
      ["{}", {}],
      ["a[]=1&a[0]=2", { "a[]": "1", "a[0]": "2" }],
      ["%zz=%zz&%=%", { "%zz": "%zz", "%": "%" }],
    ];
    for (const [text, fields] of texts)
      expect(await read(format, text, inForm), text).toEqual(text === "" ? undefined : fields);
  });

  it.each(forms)("cannot reach the prototype of objects: %s", (format) => {
    const text = "__proto__=1&__proto__[isAdmin]=1&constructor.prototype.isAdmin=1";
    expect(Object.getPrototypeOf(read(format, text, inForm))).toBe(Object.prototype);
    expect({}).not.toHaveProperty("isAdmin");
  });

  it.each(forms)("is refused with a field that it has twice: %s", (format) => {
    for (const text of ["a=1&a=2", "a=1&b=1&a=", "a=&a="])
      expect(() => read(format, text, inForm), text).toThrow(refusedAs("bad-request"));
  });

  it.each(forms)("may repeat fields that its operation does not know: %s", (format) => {
    const known = z.object({ a: z.string() });
    const other = z.object({ c: z.string() });
    const schemas = [
      known,
      z.union([known, other]),
      known.default({ a: "" }),
      known.transform((fields) => fields),
    ];
    for (const schema of schemas) {
      const readForm = (text: string) => read(format, text, inForm, schema);
      expect(readForm("b=1&a=2&b=3&b=")).toEqual({ a: "2" });
      expect(() => readForm("a=1&b=1&a=2&b=2")).toThrow(refusedAs("bad-request"));
    }
    expect(() => read(format, "b=1&b=2", inForm, known.loose())).toThrow(refusedAs("bad-request"));
  });
});

describe("a form in parts", () => {
  const readParts = (body: string, type = "multipart/form-data; boundary=x", schema?: z.ZodType) =>
    read("form-or-multipart", body, type, schema);

  it("has the text of each part as a field", async () => {
    expect(await readParts(`${part("a", "1")}${part("b", "2")}--x--`)).toEqual({ a: "1", b: "2" });
  });

  it("may repeat fields that its operation does not know", async () => {
    const body = `${part("b", "1")}${part("a", "2")}${part("b", "3")}--x--`;
    expect(await readParts(body, undefined, z.object({ a: z.string() }))).toEqual({ a: "2" });
  });

  it("is refused when it cannot be read, names no boundary or has a field twice", async () => {
    const bodies = ["x", "--x", "--x\r\n\r\n--x--", part("a", "1"), `${part("a", "1")}--y--`, "\u0000"];
    for (const body of [...bodies, `${part("a", "1")}${part("a", "2")}--x--`])
      await expect(readParts(body), body).rejects.toThrow(refusedAs("bad-request"));
    await expect(readParts(`${part("a", "1")}--x--`, "multipart/form-data")).rejects.toThrow(
      refusedAs("bad-request"),
    );
  });
});
