import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { families } from "#functions/families.ts";
import type { Auth, Route } from "#shared/platform/http/route.ts";
import { existsIn } from "#shared/platform/http/versions.ts";
import { scimErrorLabel } from "#shared/registry/errors/provisioning.ts";
import { type ApiAnswer, type ApiRequest, outcome as outcomeOf } from "../../support/api.ts";
import { operations } from "../../support/contract.ts";
import { directApi } from "../../support/direct-api.ts";
import { newApp, newTokens } from "../../support/oauth.ts";
import { sampleProtobuf } from "../../support/otr-messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { sampleOf, samplePath, sampleQuery } from "../../support/sample.ts";
import { newTeam } from "../../support/teams.ts";
import { botsToken, signedServiceToken, signedText, signedToken } from "../../support/tokens.ts";
import { newUser, type User } from "../../support/users.ts";

/**
 * Every operation with every kind of bad input. What depends on a row of the route table is tested for each operation;
 * what the code before all handlers refuses is tested for one operation of each kind, and what a schema refuses for one
 * operation that has it. The API function that sends the requests checks that no response is a 5xx, that errors have
 * the common body, and that the operation declares them.
 */

/** Nothing here is about what follows from an answer, so nothing is sent again. Tokens last as long as the file may take. */
const stack = await stackWith({
  outboxResendSeconds: 3600,
  zauth: { authSettings: { accessTokenTimeout: 3600 } },
  setOAuthAccessTokenExpirationTimeSecs: 3600,
});
const direct = { public: directApi(stack, "public"), internal: directApi(stack, "internal") };
const audienceOf = ({ auth }: Route) => (auth === "internal" ? "internal" : "public");

let user: User;
/** Tokens of each class, none of which belongs to another. */
let tokens: Record<"user" | "cookie" | "legalHold" | "app" | "provider" | "bot", string>;
let expired: Record<"user" | "provider" | "bot", string>;
let scimToken: string;

beforeAll(async () => {
  user = await newUser({}, stack);
  scimToken = await provisioningData(stack).newToken((await newTeam({}, stack)).id);
  const scope = "write:conversations_code";
  const app = await newTokens(await newApp({}, stack), user, { scope }, stack);
  const [providerId, botId, conversationId] = [randomUUID(), randomUUID(), randomUUID()];
  const soon = Math.floor(Date.now() / 1000) + 3600;
  const past = soon - 3660;
  tokens = {
    user: user.token,
    cookie: user.cookie,
    legalHold: await signedToken(
      { type: "legalhold-access", userId: user.id, expiresAtSeconds: soon },
      stack,
    ),
    app: app.access_token,
    provider: await signedServiceToken({ type: "provider", providerId, expiresAtSeconds: soon }, stack),
    bot: await botsToken(stack),
  };
  expired = {
    user: await signedToken({ userId: user.id, expiresAtSeconds: past }, stack),
    provider: await signedServiceToken({ type: "provider", providerId, expiresAtSeconds: past }, stack),
    // A bot's token has no expiry: one that has is refused, however far ahead.
    bot: await signedText(`d=${soon}.t=b.l=.p=${providerId}.b=${botId}.c=${conversationId}`, stack),
  };
  // Otherwise the first of these requests would be answered differently from those that follow.
  const { publicApi } = stack;
  await publicApi("DELETE", "/self", { token: user.token, json: {} });
  await publicApi("POST", "/conversations/self", { token: user.token });
});

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const protobuf = { "content-type": "application/x-protobuf" };
const badRequest = "400 bad-request";
const tooLarge = "413 request-too-large";
const wrongType = "415 unsupported-media-type";

/**
 * Errors of SCIM all have the same label: for them, the status alone tells what was wrong. Pages of single sign-on have
 * the label in their title.
 */
const labelOfStatus = new Map(
  [badRequest, tooLarge, wrongType, "401 unauthorized"].map((one) => [Number.parseInt(one, 10), one]),
);
function outcome(answer: Pick<ApiAnswer, "status" | "body">): string {
  const { status, body } = answer;
  if (Object(body).label === scimErrorLabel) return labelOfStatus.get(status) ?? outcomeOf(answer);
  const onPage = typeof body === "string" ? /<title>\w+:sso:error:([\w-]+)</.exec(body)?.[1] : undefined;
  return onPage === undefined ? outcomeOf(answer) : `${status} ${onPage}`;
}

/** A method that `fetch` sends without a body. */
const isRead = ({ method }: Route) => method === "GET" || method === "HEAD";

const tokenFor = ({ auth }: Route) =>
  isSigned(auth) ? tokens[auth] : auth === "scim" ? scimToken : undefined;

/** Whether the route takes a token that the service has signed. */
const isSigned = (auth: Auth) => auth === "user" || auth === "provider" || auth === "bot";

const forge = (token: string) => token.replace(/^./, (first) => (first === "A" ? "B" : "A"));

/** An operation under one version prefix, with a minimal valid request. */
interface Target {
  readonly name: string;
  readonly operationId: string;
  readonly route: Route;
  readonly prefix: string;
  readonly path: string;
  send(request?: ApiRequest, suffix?: string): Promise<ApiAnswer>;
}

/** Without the one that waits for what follows from answers to others. */
const { "i-refresh-index": _, ...answering } = operations;

/** Each operation without a prefix, and under the first and the newest version (8 if that has it, too). */
const targets: Target[] = Object.entries(answering).flatMap(([operationId, route]) => {
  const isInternal = route.auth === "internal";
  const versions = [0, Math.max(route.since ?? 0, Math.min(route.until ?? 8, 8))].filter(
    (version) => !isInternal && existsIn(route, version),
  );
  return ["", ...new Set(versions.map((version) => `/v${version}`))].map((prefix) => {
    const path = prefix + samplePath(route);
    const { api } = direct[audienceOf(route)];
    const send: Target["send"] = (request, suffix = sampleQuery(route)) => {
      const token = tokenFor(route);
      const body = isRead(route) ? undefined : request?.body;
      return api(route.method, path + suffix, { token, ...request, body });
    };
    const name = `${operationId} at ${route.method} ${path}`;
    return { name, operationId, route, prefix, path, send };
  });
});

/** The last target for each key, which is the one of the newest version. */
const oneForEach = (all: readonly Target[], keyOf: (target: Target) => unknown): Target[] => [
  ...new Map(all.map((target) => [keyOf(target), target])).values(),
];
const familyOf = (route: Route) => families.find(({ routes }) => Object.values(routes).includes(route))?.name;

/** One for each operation: the prefix makes no difference to anything after the path. */
const unique = oneForEach(targets, ({ route }) => route);
/** One for each path through the code before the handlers, in each function. */
const kindsOf = (all: readonly Target[]) =>
  oneForEach(all, ({ route }) =>
    [familyOf(route), route.auth, route.bodyFormat, route.bodyLimit, route.body === undefined].join(),
  );

const targetsAt = Map.groupBy(targets, ({ path }) => path);
const targetsOf = (path: string) => targetsAt.get(path) ?? [];
const routesAt = (path: string) => targetsOf(path).map(({ route }) => route);
/** Each path under one of the prefixes that give it the same operations, and one path under each prefix in each function. */
const paths = oneForEach(
  [
    ...oneForEach(targets, ({ route, prefix }) => [familyOf(route), prefix].join()),
    ...oneForEach(targets, ({ route, path }) =>
      [samplePath(route), ...targetsOf(path).map(({ operationId }) => operationId)].join(),
    ),
  ],
  ({ path }) => path,
);

/** The schema of a value that may be missing. */
const ofValue = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? ofValue(schema.unwrap())
    : schema;

/** Whether a schema is seen for the first time. */
function firstOnes(): (schema: unknown) => boolean {
  const schemas = new Set<unknown>();
  return (schema) => schemas.size !== schemas.add(ofValue(schema)).size;
}

/** Formats other than JSON, or besides it. */
const others: Route["bodyFormat"][] = [
  "form",
  "form-or-multipart",
  "mls",
  "multipart-mixed",
  "protobuf",
  "xml-or-json",
];

/** `fetch` sends no body with a GET. */
const withBody = unique.filter(
  ({ route }) => route.body !== undefined && !others.includes(route.bodyFormat) && route.method !== "GET",
);
const withQuery = unique.filter(({ route }) => route.query !== undefined);

/** Outcomes of several requests, by what is wrong with each. */
async function answersTo(
  { send }: Pick<Target, "send">,
  requests: Readonly<Record<string, ApiRequest>>,
): Promise<Record<string, string>> {
  const answers = Object.entries(requests).map(async ([name, request]) => [
    name,
    outcome(await send(request)),
  ]);
  return Object.fromEntries(await Promise.all(answers));
}

/** Requests with the content type of JSON and any body. */
const withJson = (bodies: Readonly<Record<string, ApiRequest["body"]>>, headers = {}) =>
  Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [name, { body, headers: { ...json, ...headers } }]),
  );

const forEach = (names: readonly string[], value: string) =>
  Object.fromEntries(names.map((name) => [name, value]));

describe.concurrent("a body", () => {
  /** All except those that accept any JSON. */
  const withObject = withBody.filter(({ route }) => route.bodyFormat !== "json-text");

  const notJson = {
    "an open brace": "{",
    "an open string": '{"name":"x',
    "two values": "{} {}",
    "a word": "undefined",
    "not a number": "NaN",
    "single quotes": "{'name':'x'}",
    "a trailing comma": '{"name":"x",}',
    "deep nesting": "[".repeat(60_000),
  };

  it.each(kindsOf(withObject))("of $name is refused with 400 when it is not JSON", async (target) => {
    expect(await answersTo(target, withJson(notJson))).toEqual(forEach(Object.keys(notJson), badRequest));
  });

  const texts = {
    none: "",
    "null as JSON": "null",
    "a list": "[]",
    "a text": '"text"',
    "a number": "1",
    "a boolean": "true",
  };

  it.each(withObject)("of $name is refused with 400 unless it is a JSON object", async (target) => {
    const { none, ...others } = texts;
    const bad = target.route.body instanceof z.ZodOptional ? others : texts;
    expect(await answersTo(target, withJson(bad))).toEqual(forEach(Object.keys(bad), badRequest));
  });

  it.each(withObject)(
    "of $name may have null for every optional field, at any depth",
    async ({ route, send }) => {
      for (const nulls of ["null", "null in the leaves"] as const) {
        const withNulls = sampleOf(route.body as z.ZodType, nulls);
        const { status, body } = await send({ json: withNulls });
        if (status !== 400) continue;
        // The sample is also refused without them.
        const without = JSON.parse(JSON.stringify(withNulls), (_, value) => value ?? undefined);
        expect(body.message).toBe((await send({ json: without })).body.message);
      }
    },
  );

  const notUtf8 = {
    "invalid bytes": Buffer.from('{"name":"\xff\xfe"}', "latin1"),
    "an overlong slash": Buffer.from('{"name":"\xc0\xaf"}', "latin1"),
    "half a character": Buffer.from('{"name":"\xed\xa0\x80"}', "latin1"),
    "UTF-16": Buffer.from('{"name":"x"}', "utf16le"),
  };

  it.each(kindsOf(withBody))(
    "of $name is refused with 400 when it is not UTF-8 and the gateway passes it on unchanged",
    async (target) => {
      // It decodes the others, with replacement characters for what is not UTF-8.
      await answersTo(target, withJson(notUtf8));
      const gzipped = Object.entries(notUtf8).map(([name, body]) => [name, gzipSync(body)]);
      const answers = await answersTo(
        target,
        withJson(Object.fromEntries(gzipped), { "content-encoding": "gzip" }),
      );
      expect(answers).toEqual(forEach(Object.keys(notUtf8), badRequest));
    },
  );

  it.each(kindsOf(withBody))("of $name is refused with 415 for another content type", async (target) => {
    const { bodyFormat } = target.route;
    const types = [
      "text/plain",
      "application/xml",
      ...(bodyFormat === "json-or-form" ? [] : [form["content-type"]]),
      "multipart/form-data",
      "json",
    ];
    const typed = types.map((type) => [type, { body: "{}", headers: { "content-type": type } }]);
    const answers = await answersTo(target, {
      ...Object.fromEntries(typed),
      none: { body: Buffer.from("{}") },
    });
    expect(answers).toEqual(forEach([...types, "none"], wrongType));
  });

  it.each(kindsOf(withObject))("of $name may name its charset, in any case", async ({ send }) => {
    const headers = { "content-type": "Application/JSON; charset=UTF-8" };
    expect(outcome(await send({ body: "[]", headers }))).toBe(badRequest);
  });

  /** fetch sends no body with GET and HEAD. */
  const mayHaveBody = ({ route: { body, method, query } }: Target) =>
    method !== "GET" && method !== "HEAD" && (body !== undefined || query === undefined);

  it.each(kindsOf(unique.filter(mayHaveBody)))(
    "of $name is refused with 413 beyond the limit",
    async ({ route, send }) => {
      const body = JSON.stringify({ name: "x".repeat(route.bodyLimit ?? 1024 * 1024) });
      expect(outcome(await send({ body, headers: json }))).toBe(tooLarge);
    },
  );

  const large = {
    "a bomb": gzipSync(Buffer.alloc(20 * 1024 * 1024)),
    "a large one": gzipSync(JSON.stringify({ name: "x".repeat(8 * 1024 * 1024) })),
  };

  it.each(kindsOf(withObject))(
    "of $name may be compressed with gzip, within the same limit",
    async (target) => {
      const plain = JSON.stringify(sampleOf(target.route.body as z.ZodType));
      const whole = gzipSync(plain);
      const gzip = { "content-encoding": "gzip" };
      const bad = {
        "a list": gzipSync("[]"),
        "a truncated one": whole.subarray(0, -9),
        "one with a wrong checksum": Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8)]),
        "twice gzipped": gzipSync(whole),
      };
      expect(await answersTo(target, withJson(bad, gzip))).toEqual(forEach(Object.keys(bad), badRequest));
      expect(await answersTo(target, withJson(large, gzip))).toEqual(forEach(Object.keys(large), tooLarge));
      for (const encoding of ["br", "gzip, gzip"]) {
        const headers = { ...json, "content-encoding": encoding };
        expect(outcome(await target.send({ body: whole, headers }))).toBe(wrongType);
      }

      const expected = outcome(await target.send({ body: plain, headers: json }));
      for (const encoding of ["gzip", "GZIP"]) {
        const headers = { ...json, "content-encoding": encoding };
        expect(outcome(await target.send({ body: whole, headers }))).toBe(expected);
        // Something in front of the function may have decompressed it, and kept the header.
        expect(outcome(await target.send({ body: plain, headers }))).toBe(expected);
      }
    },
  );

  it.each(unique.filter(({ route }) => route.body === undefined && !isRead(route)))(
    "is ignored when $name does not expect one",
    async ({ send }) => {
      const expected = outcome(await send());
      for (const body of ["{", "null", "\u0000"])
        expect(outcome(await send({ body, headers: json }))).toBe(expected);
    },
  );
});

describe.concurrent("a body in protobuf", () => {
  const inProtobuf = unique.filter(({ route }) => route.protobuf !== undefined);
  const sampleFor = ({ route }: Target) =>
    sampleProtobuf[route.protobuf?.message.name ?? ""] ?? new Uint8Array();

  it.each(inProtobuf)(
    "of $name is refused with 400 when it is another message, or not a message",
    async (target) => {
      const bodies = {
        "no field": Buffer.from([0]),
        "one byte": Buffer.from([0x0a]),
        JSON: Buffer.from('{"sender":"1","recipients":{}}'),
        "a length beyond the end": Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
        "nested groups": Buffer.alloc(60_000, 0x0b),
        "an endless number": Buffer.alloc(60_000, 0xff),
        "a truncated sample": sampleFor(target).subarray(0, -1),
      };
      for (const [name, body] of Object.entries(bodies))
        expect(outcome(await target.send({ body, headers: protobuf })), name).toBe(badRequest);
      expect(outcome(await target.send({ body: "", headers: protobuf }))).toBe(badRequest);
    },
  );

  it.each(inProtobuf)(
    "of $name is refused with 415 for a content type that is not its own",
    async (target) => {
      const body = sampleFor(target);
      for (const type of [
        "application/protobuf",
        "application/octet-stream",
        "text/plain",
        form["content-type"],
      ])
        expect(outcome(await target.send({ body, headers: { "content-type": type } })), type).toBe(wrongType);
      expect(outcome(await target.send({ body }))).toBe(wrongType);
      if (target.route.bodyFormat === "protobuf")
        expect(outcome(await target.send({ json: {} }))).toBe(wrongType);
    },
  );

  it.each(inProtobuf)("of $name is refused with 413 beyond the limit", async ({ route, send }) => {
    const limit = route.bodyLimit ?? 0;
    const bomb = gzipSync(Buffer.alloc(limit + 1));
    const headers = { ...protobuf, "content-encoding": "gzip" };
    expect(outcome(await send({ body: bomb, headers }))).toBe(tooLarge);
    // More than Lambda takes: the gateway refuses it, without a label.
    expect((await send({ body: Buffer.alloc(limit), headers: protobuf })).status).toBe(413);
  });

  it.each(inProtobuf)("of $name may be compressed with gzip", async (target) => {
    const body = sampleFor(target);
    const expected = outcome(await target.send({ body, headers: protobuf }));
    expect([badRequest, tooLarge, wrongType]).not.toContain(expected);
    const headers = { ...protobuf, "content-encoding": "gzip" };
    expect(outcome(await target.send({ body: gzipSync(body), headers }))).toBe(expected);
    expect(outcome(await target.send({ body: gzipSync(body).subarray(0, -3), headers }))).toBe(badRequest);
  });
});

describe.concurrent("a body in XML, or with XML in JSON", () => {
  const inXml = unique.filter(({ route }) => route.bodyFormat === "xml-or-json");
  const xml = { "content-type": "application/xml" };
  const gzip = { "content-encoding": "gzip" };
  // Callers who may not send it at all learn that first.
  const refused = expect.stringMatching(/^400 invalid-metadata$|^403 insufficient-permissions$/);

  it.each(inXml)("of $name is refused with 400 when it cannot be read", async ({ send }) => {
    const texts = [
      "",
      " ",
      "<",
      "<a>",
      "<a/>",
      "x",
      "{",
      "{}",
      "[]",
      "null",
      '{"value":1}',
      '{"value":"<a/>"}',
    ];
    for (const headers of [xml, json, { "content-type": "Text/XML; charset=UTF-8" }])
      for (const body of [...texts, "<a>".repeat(20_000), "\u0000"])
        expect(outcome(await send({ body, headers })), body.slice(0, 20)).toEqual(refused);
    const notUtf8 = gzipSync(Buffer.from("<a>\xff</a>", "latin1"));
    expect(outcome(await send({ body: notUtf8, headers: { ...xml, ...gzip } }))).toBe(badRequest);
    expect(outcome(await send({ body: notUtf8.subarray(0, -9), headers: { ...xml, ...gzip } }))).toBe(
      badRequest,
    );
  });

  it.each(inXml)("of $name is refused with 415 for another content type", async ({ send }) => {
    for (const type of ["text/plain", "text/html", form["content-type"], "multipart/form-data", "xml"])
      expect(outcome(await send({ body: "<a/>", headers: { "content-type": type } })), type).toBe(wrongType);
    expect(outcome(await send({ body: Buffer.from("<a/>") }))).toBe(wrongType);
  });

  it.each(inXml)("of $name is refused with 413 beyond the limit", async ({ route, send }) => {
    const large = "x".repeat((route.bodyLimit ?? 0) + 1);
    expect(outcome(await send({ body: large, headers: xml }))).toBe(tooLarge);
    expect(outcome(await send({ body: gzipSync(large), headers: { ...xml, ...gzip } }))).toBe(tooLarge);
  });
});

describe.concurrent("a form, possibly in parts", () => {
  const inParts = unique.filter(({ route }) => route.bodyFormat === "form-or-multipart");
  const multipart = { "content-type": "multipart/form-data; boundary=x" };
  const part = (name: string, value: string) =>
    `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  it.each(inParts)("of $name is refused with 400 when it cannot be read", async ({ send }) => {
    const bodies = ["x", "--x", "--x--", "--x\r\n\r\n--x--", part("a", "1"), `${part("a", "1")}--y--`];
    for (const body of [...bodies, `${part("a", "1")}${part("a", "2")}--x--`, "\u0000"])
      expect(await send({ body, headers: multipart }).then(({ status }) => status), body).toBe(400);
    for (const body of ["a=1&a=2", "%zz", ""])
      expect(await send({ body, headers: form }).then(({ status }) => status), body).toBe(400);
    const unbounded = { "content-type": "multipart/form-data" };
    expect((await send({ body: `${part("a", "1")}--x--`, headers: unbounded })).status).toBe(400);
  });

  it.each(inParts)("of $name is refused with 415 for another content type", async ({ send }) => {
    for (const type of ["application/json", "text/plain", "text/xml", "multipart/mixed; boundary=x"])
      expect(outcome(await send({ body: "{}", headers: { "content-type": type } })), type).toBe(wrongType);
    expect(outcome(await send({ body: Buffer.from("{}") }))).toBe(wrongType);
  });

  it.each(inParts)("of $name is refused with 413 beyond the limit", async ({ route, send }) => {
    const value = "x".repeat(route.bodyLimit ?? 0);
    expect(outcome(await send({ body: `a=${value}`, headers: form }))).toBe(tooLarge);
    expect(outcome(await send({ body: `${part("a", value)}--x--`, headers: multipart }))).toBe(tooLarge);
    const headers = { ...form, "content-encoding": "gzip" };
    expect(outcome(await send({ body: gzipSync(`a=${value}`), headers }))).toBe(tooLarge);
  });
});

describe.concurrent("a form", () => {
  const forms = unique.flatMap((target) => {
    const { body, bodyFormat } = target.route;
    if (bodyFormat !== "form" && bodyFormat !== "json-or-form") return [];
    const sample = sampleOf(body as z.ZodType) as Record<string, string>;
    const names = body instanceof z.ZodObject ? Object.keys(body.shape) : Object.keys(sample);
    const sendForm = (fields: string | Uint8Array<ArrayBuffer> | Record<string, string>) =>
      target.send({
        body: typeof fields === "string" || ArrayBuffer.isView(fields) ? fields : encode(fields),
        headers: form,
      });
    return [{ ...target, sample, names, sendForm }];
  });
  const encode = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, "x"));

  it.each(forms)("of $name is refused with 400 without its required fields", async ({ sendForm }) => {
    const texts = [
      "",
      "{}",
      "null",
      "x",
      "&&=&",
      "%zz=%zz&%=%",
      "%00=%00&%ff=%ff",
      "__proto__=1&__proto__[isAdmin]=1&constructor.prototype.isAdmin=1",
      "unknown=1",
      "a[]=1&a[0]=2",
    ];
    for (const text of texts) expect(outcome(await sendForm(text)), text).toBe(badRequest);
    expect(outcome(await sendForm(Buffer.from("a=\xff\xfe", "latin1")))).toBe(badRequest);
    expect({}).not.toHaveProperty("isAdmin");
  });

  it.each(forms.filter(({ route }) => route.bodyFormat === "form"))(
    "of $name is refused with 415 for another content type",
    async ({ sample, send }) => {
      for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", "form"]) {
        const answer = await send({ body: encode(sample), headers: { "content-type": type } });
        expect(outcome(answer), type).toBe(wrongType);
      }
      expect(outcome(await send({ body: Buffer.from(encode(sample)) }))).toBe(wrongType);
    },
  );

  it.each(forms)(
    "of $name is refused with 413 beyond the limit, even when it is compressed",
    async ({ sendForm, send }) => {
      expect(outcome(await sendForm({ name: "x".repeat(70_000) }))).toBe(tooLarge);
      const headers = { ...form, "content-encoding": "gzip" };
      expect(outcome(await send({ body: bomb, headers }))).toBe(tooLarge);
    },
  );

  it.each(forms)("of $name may name its charset, in any case", async ({ sample, sendForm, send }) => {
    const headers = { "content-type": "Application/X-WWW-Form-Urlencoded; charset=UTF-8" };
    const expected = outcome(await sendForm(sample));
    expect(outcome(await send({ body: encode(sample), headers }))).toBe(expected);
  });

  it.each(forms)("of $name may contain each field only once", async ({ sample, names, sendForm }) => {
    for (const name of names) {
      const once = encode({ ...sample, [name]: sample[name] ?? "x" });
      expect(outcome(await sendForm(`${once}&${name}=x`)), name).toBe(badRequest);
    }
    expect(outcome(await sendForm(`${encode(sample)}&unknown=1&unknown=1`))).toBe(badRequest);
  });

  it.each(forms)(
    "of $name is refused with 400 when a required field is missing or empty",
    async ({ sample, sendForm }) => {
      for (const name of Object.keys(sample)) {
        const { [name]: _, ...others } = sample;
        expect(outcome(await sendForm(others)), name).toBe(badRequest);
        expect(outcome(await sendForm({ ...others, [name]: "" })), name).toBe(badRequest);
      }
    },
  );

  it.each(forms)(
    "of $name is treated the same with unknown or empty fields",
    async ({ sample, sendForm }) => {
      const expected = outcome(await sendForm(sample));
      for (const extra of ["unknown=1", "__proto__=1", "=1", "unknown="])
        expect(outcome(await sendForm(`${encode(sample)}&${extra}`)), extra).toBe(expected);
    },
  );

  it.each(forms)(
    "of $name may contain any text in a field without a server error",
    async ({ sample, names, sendForm }) => {
      const texts = ["%00", "%ff", "%ed%a0%80", "+", "x".repeat(60_000), "[]", "{}", "%F0%9F%99%82", "'--"];
      for (const name of names) {
        const { [name]: _, ...others } = sample;
        for (const text of texts) await sendForm(`${name}=${text}&${encode(others)}`);
      }
    },
  );
});

describe.concurrent("a field", () => {
  const candidates = [null, 1.5, 2 ** 70, "", "text", true, [], [null], {}, { length: 8 }];
  const isNew = firstOnes();
  const objects = withBody.flatMap((target) => {
    if (!(target.route.body instanceof z.ZodObject)) return [];
    const fields = Object.entries(target.route.body.shape).map(([name, schema]) => {
      const isFirst = isNew(schema);
      const accepts = (value: unknown) => schema.safeParse(value).success;
      /** What a schema refuses reaches no handler, so it need not be sent for each field that has the schema. */
      const isTelling = (text: string) => isFirst || accepts(JSON.parse(text));
      return { name, isFirst, accepts, isTelling };
    });
    return [{ ...target, fields }];
  });
  const sampleBody = ({ route }: Pick<Target, "route">) =>
    sampleOf(route.body as z.ZodType) as Record<string, unknown>;

  /** The sample with one field written as JSON, and any other fields that the operation needs. */
  function withField(target: Pick<Target, "route">, name: string, value: string): string {
    const { [name]: _, ...others } = sampleBody(target);
    const rest = JSON.stringify(others).slice(1, -1);
    return `{"${name}":${value}${rest && `,${rest}`}}`;
  }

  it.each(objects)(
    "of $name is refused with 400 and named when its type is wrong",
    async ({ fields, ...target }) => {
      const base = sampleBody(target);
      for (const { name, isFirst, accepts } of fields) {
        const mayBeAbsent = accepts(undefined);
        const wrongOnes = candidates.filter((value) => !accepts(value) && !(value === null && mayBeAbsent));
        for (const value of isFirst ? wrongOnes : wrongOnes.slice(0, 1)) {
          const { status, body } = await target.send({ json: { ...base, [name]: value } });
          expect({ name, value, status, message: body.message }).toEqual({
            name,
            value,
            status: 400,
            message: expect.stringMatching(new RegExp(`^body\\.${name}\\b`)),
          });
        }
      }
    },
  );

  it.each(objects)(
    "of $name is refused with 400 and named when it is required and missing",
    async (target) => {
      const base = sampleBody(target);
      for (const name of Object.keys(base)) {
        const { status, body } = await target.send({ json: { ...base, [name]: undefined } });
        expect({ status, message: body.message }).toEqual({
          status: 400,
          message: expect.stringContaining(`body.${name}`),
        });
      }
    },
  );

  it.each(objects)("of $name is ignored when it is unknown", async (target) => {
    const base = JSON.stringify(sampleBody(target));
    const extras = [
      '"unknown":1',
      '"__proto__":{"isAdmin":true}',
      '"constructor":{"prototype":{"isAdmin":true}}',
      '"":0',
    ].join();
    // The first request changes the state, so that those that follow are comparable.
    await target.send({ body: base, headers: json });
    const expected = outcome(await target.send({ body: base, headers: json }));
    const body = base.replace(/^\{/, base === "{}" ? `{${extras}` : `{${extras},`);
    expect(outcome(await target.send({ body, headers: json }))).toBe(expected);
    expect({}).not.toHaveProperty("isAdmin");
  });

  it.each(objects)("of $name may contain any text without a server error", async ({ fields, ...target }) => {
    const texts = [
      "\\ud800",
      "\\udc00\\ud800",
      "\\u0000",
      "\\uffff",
      "x".repeat(60_000),
      "#",
      "' OR 1=1 --",
      "{{7*7}}",
    ].map((text) => `"${text}"`);
    for (const { name, isTelling } of fields) {
      for (const value of texts.filter(isTelling)) {
        await target.send({ body: withField(target, name, value), headers: json });
      }
    }
  });

  it.each(objects)("of $name may contain any JSON without a server error", async ({ fields, ...target }) => {
    const values = [
      "1e400",
      "-1e400",
      "1e-400",
      `[${"[".repeat(2000)}${"]".repeat(2000)}]`,
      '[{"__proto__":{}}]',
    ];
    const deep = `[{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}]`;
    for (const { name, isFirst, isTelling } of fields) {
      for (const value of [...values.filter(isTelling), ...(isFirst ? [deep] : [])]) {
        await target.send({ body: withField(target, name, value), headers: json });
      }
    }
  });
});

describe.concurrent("a query", () => {
  const others = unique.filter(({ route }) => route.query === undefined);

  it.each([...withQuery, ...kindsOf(others)])(
    "of $name may contain anything without a server error",
    async ({ send }) => {
      const queries = [
        "?",
        "?&&=&",
        "?%zz=%zz&%=%",
        "?%ff=%ff",
        "?%00=%00",
        "?__proto__=1&__proto__[isAdmin]=1&constructor.prototype.isAdmin=1",
        "?unknown=1&unknown=2",
        `?${"x".repeat(6000)}=1`,
        `?a=${"x".repeat(6000)}`,
        "?a[]=1&a[0]=2&a[b]=c",
      ];
      for (const query of queries) await send({}, query);
      expect({}).not.toHaveProperty("isAdmin");
    },
  );

  it.each(withQuery)(
    "of $name may repeat a key or leave its value empty without a server error",
    async (target) => {
      for (const name of Object.keys(target.route.query?.shape ?? {})) {
        const pairs = [`${name}=a&${name}=b`, `${name}=`, name, `${name}[]=a`, `${name}=%00`, `${name}=%ff`];
        const values = [`${name}=${"x".repeat(6000)}`, `${name}=${encodeURIComponent('{"a":1}')}`];
        for (const query of [...pairs, ...values]) await target.send({}, `?${query}`);
      }
    },
  );
});

describe.concurrent("authentication", () => {
  const authenticated = unique.filter(({ route }) => isSigned(route.auth));

  const refused = ({ route }: Target, status: number, label: string) =>
    route.method === "HEAD" ? String(status) : `${status} ${label}`;

  it.each(authenticated)("of $name comes before every other check", async (target) => {
    const requests = {
      "no token": { token: undefined },
      "no token, bad body": { token: undefined, body: "{", headers: json },
      "forged token": { token: forge(tokenFor(target.route) ?? "") },
    };
    expect(await answersTo(target, requests)).toEqual(
      forEach(Object.keys(requests), refused(target, 401, "unauthorized")),
    );
    const { auth, scope, allowsLegalHold } = target.route;
    const isOpenTo = (name: string) =>
      name === auth ||
      (name === "legalHold" && allowsLegalHold) ||
      (name === "app" && scope === "write:conversations_code");
    const ofOtherClasses = Object.entries(tokens).filter(([name]) => !isOpenTo(name));
    const others = Object.fromEntries(ofOtherClasses.map(([name, token]) => [name, { token }]));
    expect(await answersTo(target, others)).toEqual(
      forEach(Object.keys(others), refused(target, 403, "access-denied")),
    );
  });

  it.each(kindsOf(authenticated))("of $name accepts nothing but its own kind of token", async (target) => {
    const own = tokenFor(target.route) ?? "";
    const requests = {
      "no token, large body": { token: undefined, body: "x".repeat(100_000), headers: json },
      "expired token": { token: expired[target.route.auth as "user"] },
      garbage: { token: "garbage" },
      "garbage like a token": { token: `${"A".repeat(88)}.v=1.k=1.d=9999999999.t=a.l=.u=x.c=1` },
      "parts without a signature": { token: own.replace(/^[^.]*/, "") },
      "a long one": { token: "x".repeat(6000) },
      "another scheme": { token: undefined, headers: { authorization: "Basic YTpi" } },
      "a user's name": { token: undefined, headers: { "Z-User": user.id } },
      "a token of a directory": { token: scimToken },
    };
    expect(await answersTo(target, requests)).toEqual(
      forEach(Object.keys(requests), refused(target, 401, "unauthorized")),
    );
  });

  it.each(unique.filter(({ route }) => route.auth === "scim"))(
    "of $name comes before every other check, and accepts no user's token",
    async (target) => {
      const requests = {
        "no token": { token: undefined },
        "no token, bad body": { token: undefined, body: "{", headers: json },
        "a user's token": { token: user.token },
        "a provider's token": { token: tokens.provider },
        "a bot's token": { token: tokens.bot },
        "an unknown token": { token: Buffer.alloc(32).toString("base64") },
        "half a token": { token: scimToken.slice(0, 22) },
        "a long one": { token: "x".repeat(6000) },
        "another scheme": { token: undefined, headers: { authorization: `Basic ${scimToken}` } },
        "two tokens": { token: `${scimToken} ${scimToken}` },
      };
      expect(await answersTo(target, requests)).toEqual(forEach(Object.keys(requests), "401 unauthorized"));
      const { headers } = await target.send({ token: "garbage" });
      expect(headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
      const inQuery = `?access_token=${encodeURIComponent(scimToken)}`;
      expect(outcome(await target.send({ token: undefined }, inQuery))).toBe("401 unauthorized");
    },
  );

  it.each(unique.filter(({ route }) => route.auth === "none" || route.auth === "internal"))(
    "is ignored by $name",
    async ({ send }) => {
      const expected = outcome(await send());
      for (const token of [
        forge(user.token),
        ...Object.values(expired),
        tokens.provider,
        tokens.bot,
        "garbage",
      ]) {
        expect(outcome(await send({ token }))).toBe(expected);
      }
    },
  );
});

describe.concurrent("a method", () => {
  const hidesMethods = ({ path }: Target) => routesAt(path).some((route) => route.hidesOtherMethods);
  /** Methods that a target's path has in its version, and those that it has only in others. */
  const methodsAt = ({ path, prefix }: Target) => {
    const all = Object.values(operations).filter((route) => prefix + samplePath(route) === path);
    const isHere = (route: Route) => prefix === "" || existsIn(route, Number(prefix.slice(2)));
    const here = new Set<string>(all.filter(isHere).map(({ method }) => method));
    const elsewhere = all.map(({ method }) => method).filter((method) => !here.has(method));
    return { here, elsewhere: new Set<string>(elsewhere) };
  };

  it.each(paths.filter(hidesMethods))(
    "returns 404 when the path of $name does not have it, and does not reveal which it has",
    async (target) => {
      const { route, path } = target;
      const { api } = direct[audienceOf(route)];
      const { here } = methodsAt(target);
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (here.has(method)) continue;
        const answer = await api(method, path);
        expect(outcome(answer)).toBe("404 no-endpoint");
        expect(answer.headers.get("allow")).toBeNull();
      }
    },
  );

  it.each(paths.filter((target) => !hidesMethods(target)))(
    "returns 405 with Allow when the path of $name does not have it, or 404 if other versions do",
    async (target) => {
      const { route, path } = target;
      const { elsewhere } = methodsAt(target);
      const { api } = direct[audienceOf(route)];
      const allowed = (await api("OPTIONS", path)).headers.get("allow")?.split(", ") ?? [];
      const here = routesAt(path);
      expect(allowed).toEqual(expect.arrayContaining(here.map(({ method }) => method)));
      const refusesHead = here.some((other) => other.refusesHead);
      const hasHead = here.some(({ method }) => method === "HEAD");
      expect(allowed.includes("HEAD")).toBe(hasHead || (allowed.includes("GET") && !refusesHead));

      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (allowed.includes(method)) continue;
        const { status, headers, body } = await api(method, path);
        if (elsewhere.has(method)) {
          expect({ status, allow: headers.get("allow") }).toEqual({ status: 404, allow: null });
          continue;
        }
        expect({ status, allow: headers.get("allow") }).toEqual({ status: 405, allow: allowed.join(", ") });
        const label = route.errorFormat === "scim" ? scimErrorLabel : "method-not-allowed";
        if (method !== "HEAD" && route.errorFormat !== "own") expect(body.label).toBe(label);
      }
    },
  );

  const hasOwnHead = (path: string) => routesAt(path).some(({ method }) => method === "HEAD");

  it.each(
    unique.filter(({ route, path }) => route.method === "GET" && !route.refusesHead && !hasOwnHead(path)),
  )("HEAD of $name returns the status of GET without a body", async ({ route, path, send }) => {
    const { api } = direct[audienceOf(route)];
    const { status, body } = await api("HEAD", path + sampleQuery(route), {
      token: tokenFor(route),
    });
    expect({ status, body }).toEqual({ status: (await send()).status, body: "" });
  });
});

describe.concurrent("a path", () => {
  const raw = (route: Route, path: string) =>
    direct[audienceOf(route)].raw(route.method, path, { headers: headersOf(route) });
  const headersOf = (route: Route): Record<string, string> | undefined => {
    const token = tokenFor(route);
    return token === undefined ? undefined : { authorization: `Bearer ${token}` };
  };

  const decoded = (value: string) => {
    try {
      return decodeURIComponent(value);
    } catch {
      return undefined;
    }
  };

  const takingRest = Object.values(operations).flatMap(({ path, takesRest }) => (takesRest ? [path] : []));

  it.each(paths)("that only resembles that of $name is refused", async ({ route, path }) => {
    const literal = path.replace(/[a-z](?=[^/]*$)/, (letter) => letter.toUpperCase());
    const paths = [
      // What follows may belong to a parameter that matches the rest of the path.
      ...(takingRest.some((taking) => taking.startsWith(route.path))
        ? []
        : [
            ...(route.allowsTrailingSlash ? [] : [`${path}/`]),
            `${path}//`,
            `${path}/x/y/z`,
            `${path};a=b/x`,
            `${path}/%2e%2e/x`,
            `${path}/..${path}/..`,
          ]),
      `/${path}`,
      `/%2F${path.slice(1)}`,
      ...(route.params ? [] : [literal, `${path}%00`, `${path}%zz`, `${path}%2F`, `${path}x`]),
    ];
    for (const target of paths.filter((one) => one !== path)) {
      const { status } = await raw(route, target);
      // With one more segment, a path can be that of another operation.
      expect([400, 404, 405], target).toContain(status);
    }
  });

  const isNew = firstOnes();
  const withParams = unique.flatMap((target) => {
    const { params } = target.route;
    if (params === undefined) return [];
    const isFirst = Object.values(params.shape).map(isNew).includes(true);
    const accepts = (value: string) => {
      const all = Object.keys(params.shape).map((name) => [name, decoded(value)]);
      return params.safeParse(Object.fromEntries(all)).success;
    };
    /** What its schemas refuse reaches no handler, so it need not be sent for each path that has them. */
    return [{ ...target, isTelling: (value: string) => isFirst || accepts(value) }];
  });

  it.each(withParams)(
    "of $name may contain anything without a server error",
    async ({ route, path, isTelling }) => {
      const prefix = path.slice(0, -samplePath(route).length);
      // Deleting something that does not exist can succeed, and a device may be refused for not being the caller's.
      const mayBeForeign = route.errors?.includes("mls-identity-mismatch");
      const expected = [
        400,
        404,
        ...(route.method === "DELETE" ? Object.keys(route.responses).map(Number) : []),
        ...(mayBeForeign ? [403] : []),
      ];
      for (const value of [
        "%zz",
        "%ff",
        "%00",
        "%2F",
        "%2e%2e%2f",
        "%F0%9F%99%82",
        // Three of them must fit into the headers of a request.
        "x".repeat(4000),
        "__proto__",
      ].filter(isTelling)) {
        const requested = prefix + route.path.replaceAll(/\{\w+\}/g, value);
        const { status } = await raw(route, requested);
        expect(expected, requested).toContain(status);
      }
    },
  );

  it.each(targets.filter(({ route }) => route.auth === "internal"))(
    "of $name does not exist on the public API",
    async ({ route, path }) => {
      for (const prefix of ["", "/v0", "/v8"]) {
        const answer = await direct.public.api(route.method, prefix + path, {
          token: user.token,
          headers: { "Z-User": user.id },
        });
        expect(outcome(answer)).toBe(route.method === "HEAD" ? "404" : "404 no-endpoint");
      }
    },
  );

  it("is refused with 404 when no operation has it, however it is written", async () => {
    const paths = [
      "//",
      "/%",
      "/%00",
      "/%zz",
      "/x".repeat(2000),
      `/${"x".repeat(6000)}`,
      "/../..",
      "/\\",
      "/*",
    ];
    for (const target of paths) {
      expect((await rawRequest(stack.publicUrl, "GET", target)).status, target).toBe(404);
    }
  });

  it("may be requested with a body, even by GET", async () => {
    const headers = { ...json, authorization: `Bearer ${user.token}` };
    const { status } = await rawRequest(stack.publicUrl, "GET", "/self", { headers, body: "{" });
    expect(status).toBe(200);
  });
});

describe.concurrent("over HTTP", () => {
  const overHttp = (route: Route) => (route.auth === "internal" ? stack.internalApi : stack.publicApi);
  const requests: Record<string, ApiRequest> = {
    "half an object": { body: "{", headers: json },
    "half of a compressed object": {
      body: gzipSync("{}").subarray(0, -9),
      headers: { ...json, "content-encoding": "gzip" },
    },
    "bytes without a content type": { body: Buffer.from("\xff\xfe", "latin1") },
    "a large body": { body: "x".repeat(2 * 1024 * 1024), headers: json },
    "a forged token": { token: "garbage" },
    "headers with other letters": { headers: { AUTHORIZATION: "Basic YTpi", "Content-Type": "Text/X" } },
  };

  it.each(kindsOf(unique))(
    "$name answers bad requests as it does when its function is called directly",
    async ({ route, path, send }) => {
      const token = tokenFor(route);
      for (const [name, { body, ...request }] of Object.entries(requests)) {
        const sent = { token, ...request, ...(!isRead(route) && { body }) };
        const answer = await overHttp(route)(route.method, path + sampleQuery(route), sent);
        const direct = await send({ ...request, body });
        expect(outcome(answer), name).toBe(outcome(direct));
        expect(Object.fromEntries(answer.headers), name).toMatchObject(
          Object.fromEntries([...direct.headers.keys()].map((header) => [header, expect.anything()])),
        );
      }
    },
  );

  it.each(kindsOf(unique))(
    "$name is found at no path that only resembles its own",
    async ({ route, path }) => {
      const { api, raw } = direct[audienceOf(route)];
      const baseUrl = route.auth === "internal" ? stack.internalUrl : stack.publicUrl;
      for (const target of [`/${path}`, `${path}//`, `${path}%00`, `${path}%zz`, `${path}/%2e%2e/x`]) {
        const expected = await raw(route.method, target);
        const { status } = await rawRequest(baseUrl, route.method, target);
        expect(status, target).toBe(expected.status);
      }
      const wrong = route.method === "PATCH" ? "TRACE" : "PATCH";
      const answer = await overHttp(route)(wrong, path);
      const expected = await api(wrong, path);
      expect(outcome(answer)).toBe(outcome(expected));
      expect(answer.headers.get("allow")).toBe(expected.headers.get("allow"));
    },
  );
});
