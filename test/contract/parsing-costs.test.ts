import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { readUpload } from "#functions/assets/assets/read-upload.ts";
import { readGroupOperations } from "#functions/provisioning/scim/groups/read-operations.ts";
import { groupBody } from "#functions/provisioning/scim/groups/routes.ts";
import { parseFilter } from "#functions/provisioning/scim/parse-filter.ts";
import { patchBody, patchSchema } from "#functions/provisioning/scim/patch/schemas.ts";
import { readOperations } from "#functions/provisioning/scim/users/patch/read-operations.ts";
import { parseXml } from "#functions/provisioning/single-sign-on/parse-xml.ts";
import { txtRecords } from "#functions/teams/domains/verification/verify-challenge.ts";
import { newOtrMessage } from "#shared/conversations/messages/otr-message.ts";
import { deviceNamedBy } from "#shared/devices/mls/credential-identity.ts";
import { decodeMlsMessages } from "#shared/devices/mls/mls-message.ts";
import { encodeOpaque } from "#shared/devices/mls/tls-reader.ts";
import { parseEmailAddress } from "#shared/platform/email-address.ts";
import { foldCase } from "#shared/platform/fold-case.ts";
import { parseBody } from "#shared/platform/http/parse-body.ts";
import { readBody } from "#shared/platform/http/read-body.ts";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import type { Route } from "#shared/platform/http/route.ts";
import { createLog } from "#shared/platform/log.ts";
import { bytes as bytesField, decodeMessage, message, repeated } from "#shared/platform/protobuf.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { newCertificate } from "../support/certificate.ts";
import { startDnsServer } from "../support/dns-server.ts";
import { newSigner } from "../support/key-packages.ts";

/** The cost of parsing input from strangers must grow no faster than its size. */

const settings = parseSettings({});
const signer = newSigner();
const device = { userId: "3fa85f64-5717-4562-b3fc-2c963f66afa6", clientId: "1", domain: "example.com" };

const bodyOf = (bodyFormat: Route["bodyFormat"], text: string, type: string) => {
  const event = { body: text, headers: { "content-type": type }, isBase64Encoded: false };
  const route = { bodyFormat, bodyLimit: 10_000_000, body: {} } as unknown as Route;
  return readBody(event as unknown as HttpEvent, route);
};

/** An MLS message of a format that the service passes on, with as many empty vectors as bytes: a welcome's secrets. */
const welcome = (size: number) =>
  Buffer.concat([Buffer.from("000100030001", "hex"), encodeOpaque(Buffer.alloc(size)), Buffer.of(0)]);

const dns = await startDnsServer();
afterAll(() => dns.stop());
const lookUp = {
  resolvers: [dns.address],
  timeoutMilliseconds: 3000,
  log: createLog("test", "CRITICAL"),
};

async function* arriving(body: Uint8Array) {
  yield body;
}

const list = message("List", { items: repeated(1, bytesField) });

/** Two accents, above and below, which composing puts in another order. */
const marks = "\u0301\u0316";

/** Version, wire format, group id, epoch, sender, authenticated data and type of a commit of a member. */
const commitHeader = `0001000100${"00".repeat(8)}0100000000${"00"}03`;

/**
 * Functions that parse `size` bytes of the most expensive kind, prepared in advance. Refusing them counts as parsing.
 */
const parsers: Record<
  string,
  {
    readonly limit: number;
    readonly prepare: (size: number) => () => unknown;
    /** Where a body may have megabytes of it. */
    readonly multiple?: number;
  }
> = {
  "other names of a certificate": {
    limit: 15_000,
    multiple: 4,
    prepare: (size) => {
      const dnsNames = Array<string>(Math.floor(size / 2) - 200).fill("");
      const uris = [`${device.userId}:1@x`];
      const certificates = [newCertificate(signer.publicKey, signer.privateKey, { uris, dnsNames })];
      return () => deviceNamedBy({ type: "x509", certificates }, signer.publicKey);
    },
  },
  "names of a certificate": {
    limit: 14_000,
    prepare: (size) => {
      const uris = Array.from({ length: size / 50 }, (_, index) => `${device.userId}:1@x${index}`);
      const certificates = [newCertificate(signer.publicKey, signer.privateKey, { uris })];
      return () => deviceNamedBy({ type: "x509", certificates }, signer.publicKey);
    },
  },
  "lists within an MLS message": {
    limit: 3_000_000,
    prepare: (size) => {
      const bytes = welcome(size);
      return () => decodeMlsMessages(bytes);
    },
  },
  "MLS messages one after the other": {
    limit: 3_000_000,
    prepare: (size) => {
      const bytes = Buffer.concat(Array(Math.floor(size / 8)).fill(welcome(0)));
      return () => decodeMlsMessages(bytes);
    },
  },
  "proposals of a commit": {
    limit: 3_000_000,
    prepare: (size) => {
      const references = encodeOpaque(Buffer.alloc(size, "0200", "hex"));
      const bytes = Buffer.concat([Buffer.from(commitHeader, "hex"), references]);
      return () => decodeMlsMessages(bytes);
    },
  },
  "fields in protobuf": {
    limit: 3_000_000,
    prepare: (size) => {
      const bytes = Buffer.alloc(size);
      for (let index = 0; index < size; index += 2) bytes[index] = 0x0a;
      return () => decodeMessage(list, bytes);
    },
  },
  "headers of a part": {
    limit: 1_000_000,
    prepare: (size) => {
      const body = Buffer.from(`--frontier\r\n${"a: b\r\n".repeat(size / 6)}`);
      return () => readUpload(arriving(body), size * 2);
    },
  },
  "devices that a message names": {
    limit: 450_000,
    prepare: (size) => {
      const users = Array.from({ length: size / 50 }, () => [randomUUID(), { "1": "" }]);
      const text = JSON.stringify({ sender: "1", recipients: Object.fromEntries(users) });
      return () => parseBody(newOtrMessage, bodyOf("json-or-protobuf", text, "application/json"));
    },
  },
  "parts of a form": {
    limit: 200_000,
    prepare: (size) => {
      const part = "--x\r\ncontent-disposition: form-data; name=a\r\n\r\n\r\n";
      const text = `${part.repeat(size / part.length)}--x--\r\n`;
      return () => bodyOf("form-or-multipart", text, "multipart/form-data; boundary=x");
    },
  },
  "parameters of a form": {
    limit: 80_000,
    prepare: (size) => {
      const text = Array.from({ length: size / 8 }, (_, index) => `${index}=1`).join("&");
      return () => bodyOf("form", text, "application/x-www-form-urlencoded");
    },
  },
  "large integers in JSON": {
    limit: 1_000_000,
    prepare: (size) => {
      const text = `[${Array(Math.floor(size / 20)).fill("9223372036854775807")}]`;
      return () => bodyOf("json-int64", text, "application/json");
    },
  },
  "digits in JSON": {
    limit: 1_000_000,
    prepare: (size) => {
      const text = `["${",1.".repeat(size / 6)}${"1.1".repeat(size / 6)}"]`;
      return () => bodyOf("json-int64", text, "application/json");
    },
  },
  "nested lists in JSON": {
    limit: 1_000_000,
    prepare: (size) => {
      const text = "[".repeat(size / 2) + "]".repeat(size / 2);
      return () => bodyOf("json", text, "application/json");
    },
  },
  "elements and attributes of XML": {
    limit: 100_000,
    prepare: (size) => {
      const text = `<a>${'<b c="&amp;"/>'.repeat(size / 14)}</a>`;
      return () => parseXml(text, { maxLength: size * 2 });
    },
  },
  "a filter of SCIM": {
    limit: 1_000_000,
    prepare: (size) => {
      const text = `userName eq "${'\\"'.repeat(size / 2)}"`;
      return () => parseFilter(text, { schema: "urn:x", attributes: { userName: ["eq"] } });
    },
  },
  "operations of a SCIM patch": {
    limit: 300_000,
    prepare: (size) => {
      const operation = { op: "replace", path: "displayName", value: "x" };
      const Operations = Array(Math.floor(size / 50)).fill(operation);
      return () => readOperations({ schemas: [patchSchema], Operations }, settings);
    },
  },
  "operations of a SCIM patch of a group": {
    limit: 1_000_000,
    prepare: (size) => {
      const operation = { op: "add", path: "members", value: { value: device.userId } };
      const Operations = Array(Math.floor(size / 90)).fill(operation);
      return () => readGroupOperations({ schemas: [patchSchema], Operations });
    },
  },
  "members in an operation of a SCIM patch": {
    limit: 1_000_000,
    prepare: (size) => {
      const value = Array(Math.floor(size / 50)).fill({ value: device.userId });
      const Operations = [{ op: "add", path: "members", value }];
      return () => readGroupOperations({ schemas: [patchSchema], Operations });
    },
  },
  "unknown attributes of a SCIM patch": {
    limit: 1_000_000,
    prepare: (size) => {
      const names = Array.from({ length: size / 16 }, (_, index) => [`unknown${index}`, 0]);
      const body = { schemas: [patchSchema], ...Object.fromEntries(names) };
      return () => readGroupOperations(patchBody.parse(body));
    },
  },
  "malformed members of a SCIM group": {
    limit: 200_000,
    prepare: (size) => {
      const members = Array.from({ length: size / 20 }, (_, index) => ({ value: `x${index}` }));
      const text = JSON.stringify({ displayName: "Engineering", members });
      return () => parseBody(groupBody, bodyOf("scim", text, "application/scim+json"));
    },
  },
  "marks upon one letter": {
    limit: 60_000,
    prepare: (size) => {
      const text = `a${marks.repeat(size / 4)}`;
      return () => foldCase(text);
    },
  },
  "letters with as many marks as are composed": {
    limit: 60_000,
    prepare: (size) => {
      const text = `a${marks.repeat(15)}`.repeat(size / 61);
      return () => foldCase(text);
    },
  },
  "letters of a domain": {
    limit: 12_000,
    prepare: (size) => {
      const letters = Array.from({ length: size / 3 }, (_, index) => 0x4e00 + index);
      const address = `ada@${String.fromCodePoint(...letters)}.example`;
      return () => parseEmailAddress(address);
    },
  },
  "the values of nested lists in JSON": {
    limit: 290_000,
    prepare: (size) => {
      const lists = `[${Array(100).fill("[0]")}]`;
      const text = `[${Array(Math.floor(size / lists.length)).fill(lists)}]`;
      return () => bodyOf("json", text, "application/json");
    },
  },
};

/** Answers of name servers, of 64 KB at most. A look-up costs more than reading its answer. */
const lookUps: typeof parsers = {
  "texts in the answer of a name server": {
    limit: 60_000,
    prepare: (size) => {
      const name = `${size}.example.com`;
      dns.records.set(name, Array(Math.floor(size / 30)).fill(""));
      return () => txtRecords(name, lookUp);
    },
  },
  "parts of a text in the answer of a name server": {
    limit: 60_000,
    prepare: (size) => {
      const name = `${size}.example.org`;
      dns.records.set(name, [Array(Math.floor(size / 2)).fill("a")]);
      return () => txtRecords(name, lookUp);
    },
  },
};

/** Microseconds of CPU that one of many calls takes. */
async function costOf(parse: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  let calls = 0;
  let spent = 0;
  while (spent < 20_000) {
    try {
      await parse();
    } catch {
      // A refusal may be as expensive as an answer.
    }
    calls++;
    const { user, system } = process.cpuUsage(start);
    spent = user + system;
  }
  return spent / calls;
}

const factor = 8;
/**
 * Linear growth gives 8, quadratic 64. The fixed cost of a call makes the ratio smaller; garbage and caches make it
 * larger.
 */
const mostRatio = 30;

/** A megabyte, which takes some 10 ms. */
const smallObjects = `[${Array(60_000).fill('{"a":"b","c":1}')}]`;
/** When nothing else runs, parsers take 100 ms at most, and the most expensive one ten times as long as JSON. */
const mostMultiple = 20;

describe("the CPU that it takes to parse", () => {
  it.each(Object.entries({ ...parsers, ...lookUps }))(
    "%s grows with the bytes only",
    async (_, { limit, prepare }) => {
      const [small, large] = [prepare(Math.floor(limit / factor)), prepare(limit)];
      let ratio = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3 && ratio > mostRatio; round++) {
        ratio = Math.min(ratio, (await costOf(large)) / (await costOf(small)));
      }
      expect(ratio).toBeLessThan(mostRatio);
    },
  );

  it.each(Object.entries(parsers))(
    "%s is at most a fixed multiple of the time for JSON",
    async (_, { limit, prepare, multiple: most = mostMultiple }) => {
      const parse = prepare(limit);
      let multiple = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3 && multiple > most; round++) {
        const yardstick = (await costOf(() => JSON.parse(smallObjects))) / smallObjects.length;
        multiple = Math.min(multiple, (await costOf(parse)) / limit / yardstick);
      }
      expect(multiple).toBeLessThan(most);
    },
  );
});
