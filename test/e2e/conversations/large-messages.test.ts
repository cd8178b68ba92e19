import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { eventually } from "../../support/eventually.ts";
import {
  encodeMessage,
  encodeQualifiedMessage,
  messagesInList,
  newGroupWithDevices,
  protobuf,
  type QualifiedMessage,
  recipientsOf,
  sendJson,
  sendProtobuf,
  textsUntil,
} from "../../support/otr-messages.ts";
import { newUser } from "../../support/users.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe.concurrent("a body that is not a message", () => {
  const sender = "a1";
  const id = randomUUID();
  const send = async (path: string, body: string | Uint8Array<ArrayBuffer>, type: string) => {
    const { token } = await newUser();
    return outcome(await api("POST", path, { token, body, headers: { "content-type": type } }));
  };
  const unqualified = `/conversations/${id}/otr/messages`;
  const qualified = `/conversations/${localDomain}/${id}/proteus/messages`;
  const protobufType = protobuf["content-type"];

  it.each<[string, () => Uint8Array<ArrayBuffer>]>([
    ["empty after decompression", () => Buffer.from([0x08])],
    ["random", () => Buffer.from("no message at all")],
    ["with the id of a user that is too short", () => encodeMessage({ sender, recipients: { "ab-cd": {} } })],
    ["cut off", () => encodeMessage({ sender, recipients: { [id]: { a: "eA==" } } }).subarray(0, -3)],
  ])("%s is refused with 400 in protobuf", async (_, encode) => {
    expect(await send(unqualified, encode(), protobufType)).toBe("400 bad-request");
    expect(await send(qualified, encode(), protobufType)).toBe("400 bad-request");
  });

  it.each<[string, QualifiedMessage]>([
    ["without a strategy", { sender, recipients: {} }],
    ["to a malformed domain", { sender, recipients: { "not a domain": {} }, strategy: "report_all" }],
    ["that reports malformed user ids", { sender, recipients: {}, strategy: { report_only: ["ann"] } }],
  ])("%s is refused with 400 in its qualified form", async (_, message) => {
    expect(await send(qualified, encodeQualifiedMessage(message), protobufType)).toBe("400 bad-request");
  });

  it("of another type is refused with 415", async () => {
    const body = encodeMessage({ sender, recipients: {} });
    expect(await send(unqualified, body, "application/octet-stream")).toBe("415 unsupported-media-type");
    expect(await send(unqualified, "{}", "text/plain")).toBe("415 unsupported-media-type");
    expect(await send(qualified, JSON.stringify({ sender, recipients: {} }), "application/json")).toBe(
      "415 unsupported-media-type",
    );
  });
});

describe("a large message", () => {
  /** Text that makes up a body of about 6 MB with 2000 devices. */
  const text = Buffer.alloc(2220, 7).toString("base64");
  const large = (sender: string, user: string) => ({
    sender,
    recipients: {
      [user]: Object.fromEntries(
        Array.from({ length: 2000 }, (_, index) => [(index + 256).toString(16), text]),
      ),
    },
  });

  it("of 6 MB to 2000 devices is sent, in JSON, protobuf and gzip", async () => {
    const { ann, ben, a1, b1, group } = await newGroupWithDevices();
    const message = large(a1, ben.id);
    Object.assign(message.recipients[ben.id] ?? {}, { [b1]: base64("small") });
    const json = JSON.stringify(message);
    expect(json.length).toBeGreaterThan(5_900_000);
    const query = "?ignore_missing=true";
    const sent = await sendJson(group, ann, message, { query });
    expect(sent.status).toBe(201);
    expect(sent.body.deleted[ben.id]).toHaveLength(2000);
    expect((await sendProtobuf(group, ann, message, { query })).status).toBe(201);
    for (const [type, body] of [
      ["application/json", json],
      ["application/x-protobuf", encodeMessage(message)],
    ] as const) {
      const headers = { "content-type": type, "content-encoding": "gzip" };
      const path = `/conversations/${group.id}/otr/messages${query}`;
      const answer = await api("POST", path, { token: ann.token, body: gzipSync(body), headers });
      expect(answer.status).toBe(201);
    }
    await eventually(async () => expect(await messagesInList(ben, b1)).toHaveLength(4));
  });

  it("arrives whole, even if it takes several items of a table", async () => {
    const { ann, ben, a1, b1, b2, group } = await newGroupWithDevices();
    const texts = [b1, b2].map(
      (id, index) => [id, Buffer.alloc(1_500_000, index + 1).toString("base64")] as const,
    );
    const message = { sender: a1, recipients: { [ben.id]: Object.fromEntries(texts) } };
    expect((await sendJson(group, ann, message, { query: "?ignore_missing=true" })).status).toBe(201);
    for (const [id, expected] of texts) await textsUntil(ben, id, expected);
  });

  it("of more than 6 MB is refused with 413, as is a gzip bomb", async () => {
    const { ann, a1, group } = await newGroupWithDevices();
    const path = `/conversations/${group.id}/otr/messages`;
    const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
      api("POST", path, { token: ann.token, body, headers });
    const json = JSON.stringify({ sender: a1, recipients: {}, data: "A".repeat(6_000_000) });
    const type = { "content-type": "application/json" };
    expect(outcome(await send(json, type))).toBe("413 request-too-large");
    const gzip = { "content-encoding": "gzip" };
    const bomb = gzipSync(Buffer.alloc(100_000_000, "A"));
    expect(outcome(await send(bomb, { ...type, ...gzip }))).toBe("413 request-too-large");
    expect(outcome(await send(bomb, { ...protobuf, ...gzip }))).toBe("413 request-too-large");
  });

  it("is refused with 413 if one device's part is too large for any list, and the largest that fits is listed", async () => {
    const { ann, ben, a1, b1, group } = await newGroupWithDevices();
    const query = "?ignore_missing=true";
    const send = (blob: number, ciphertext: number) => {
      const recipients = { [ben.id]: { [b1]: "A".repeat(ciphertext) } };
      return sendJson(group, ann, { sender: a1, recipients, data: "A".repeat(blob) }, { query });
    };
    for (const [blob, ciphertext] of [
      [5_900_000, 4],
      [4, 5_900_000],
      [2_900_000, 2_900_000],
    ] as const) {
      expect(outcome(await send(blob, ciphertext))).toBe("413 request-too-large");
    }
    expect((await send(2_000_000, 2_100_000)).status).toBe(201);
    const [{ data }] = await eventually(async () => {
      const messages = await messagesInList(ben, b1);
      expect(messages).toHaveLength(1);
      return messages as [(typeof messages)[0]];
    });
    expect([data.data.length, data.text.length]).toEqual([2_000_000, 2_100_000]);
  });

  it("to as many strangers as fit is answered in time", async () => {
    const { ann, a1, group } = await newGroupWithDevices();
    const strangers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, () => [randomUUID(), { "1": "" }]));
    const query = "?ignore_missing=true";
    const sent = await sendProtobuf(group, ann, { sender: a1, recipients: strangers(20_000) }, { query });
    expect(sent.status).toBe(201);
    expect(Object.keys(sent.body.redundant)).toHaveLength(20_000);
    const refused = await sendProtobuf(group, ann, { sender: a1, recipients: strangers(20_001) }, { query });
    expect(outcome(refused)).toBe("400 bad-request");
  });

  it("of too many tiny parts is refused", async () => {
    const { ann, a1, group } = await newGroupWithDevices();
    const devices = Array.from({ length: 400_000 }, (_, index) => [index.toString(16), ""]);
    const message = { sender: a1, recipients: { [ann.id]: Object.fromEntries(devices) } };
    expect(outcome(await sendJson(group, ann, message))).toBe("400 bad-request");
    expect(outcome(await sendProtobuf(group, ann, message))).toBe("400 bad-request");
  });

  it("to more outsiders than the conversation has members returns 412 with the members' devices", async () => {
    const { ann, ben, a1, a2, b1, group } = await newGroupWithDevices();
    const strangers = Object.fromEntries(Array.from({ length: 600 }, () => [randomUUID(), { "1": "" }]));
    const recipients = { ...strangers, ...recipientsOf([ann, [a2]], [ben, [b1]]) };
    const { status, body } = await sendProtobuf(group, ann, { sender: a1, recipients });
    expect(status).toBe(412);
    expect(Object.keys(body.missing)).toEqual([ben.id]);
    expect(Object.keys(body.redundant)).toHaveLength(600);
  });
});
