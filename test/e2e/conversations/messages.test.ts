import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import {
  addDevices,
  encodeMessage,
  encodeQualifiedMessage,
  type OtrMessage,
  protobuf,
  type QualifiedMessage,
  type Recipients,
  recipientsOf,
  sendJson,
  sendProtobuf,
  sendQualified,
  textFor,
} from "../../support/otr-messages.ts";
import { openSocket } from "../../support/socket.ts";
import { logIn, newUser, type User } from "../../support/users.ts";

/** A group of two, each with two devices. */
async function newGroup() {
  const [ann, ben] = await Promise.all([newUser(), newUser()]);
  const [[a1 = "", a2 = ""], [b1 = "", b2 = ""]] = await Promise.all([
    addDevices(ann, 2),
    addDevices(ben, 2),
  ]);
  const group = await newConversation([ann, ben]);
  return { ann, ben, a1, a2, b1, b2, group };
}

/** Messages that a device has in its list. */
async function messagesOf({ token }: Pick<User, "token">, clientId: string) {
  const { body } = await api("GET", `/notifications?client=${clientId}`, { token });
  const payloads: { type: string; data: { text: string; data: string } }[][] = body.notifications.map(
    ({ payload }: { payload: unknown }) => payload,
  );
  return payloads.flat().filter(({ type }) => type === "conversation.otr-message-add");
}

/** Wait until the last message in a device's list has a text. @returns the texts of all */
const textsUntil = (user: Pick<User, "token">, clientId: string, last: string) =>
  eventually(async () => {
    const texts = (await messagesOf(user, clientId)).map(({ data }) => data.text);
    expect(texts.at(-1)).toBe(last);
    return texts;
  });

const base64 = (text: string) => Buffer.from(text).toString("base64");
const noMismatch = { missing: {}, redundant: {}, deleted: {} };

describe.concurrent("a message to all devices", () => {
  it("arrives at each of them with its own text, and nowhere else", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroup();
    const json = { sender: a1, recipients: recipientsOf([ann, [a2]], [ben, [b1, b2]]), data: base64("all") };
    const { status, body } = await sendJson(group, ann, json);

    expect({ status, body }).toEqual({ status: 201, body: { time: expect.any(String), ...noMismatch } });
    const devices: [User, string][] = [
      [ann, a2],
      [ben, b1],
      [ben, b2],
    ];
    for (const [user, clientId] of devices) {
      await textsUntil(user, clientId, textFor(clientId));
      expect(await messagesOf(user, clientId)).toEqual([
        {
          type: "conversation.otr-message-add",
          conversation: group.id,
          qualified_conversation: { domain: localDomain, id: group.id },
          from: ann.id,
          qualified_from: { domain: localDomain, id: ann.id },
          time: body.time,
          via: "user",
          data: { sender: a1, recipient: clientId, text: textFor(clientId), data: base64("all") },
        },
      ]);
    }
    expect(await messagesOf(ann, a1)).toEqual([]);
  });

  it("carries an empty blob when none was sent", async () => {
    const { ann, ben, a1, b1, group } = await newGroup();
    const json = { sender: a1, recipients: recipientsOf([ben, [b1]]) };
    await sendJson(group, ann, json, { query: "?ignore_missing=true" });
    await textsUntil(ben, b1, textFor(b1));
    expect(await messagesOf(ben, b1)).toMatchObject([{ data: { data: "" } }]);
  });

  it("reaches the other devices of the sender on sockets, but not the sending one", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroup();
    const { body: session } = await logIn(ann);
    const other = { token: session.access_token };
    const sockets = await Promise.all([
      openSocket("/await", { token: ann.token, query: { client: a1 } }),
      openSocket("/await", { ...other, query: { client: a2 } }),
    ]);
    const toBen = [ben, [b1, b2]] as const;
    const sends = [
      await sendJson(group, ann, { sender: a1, recipients: recipientsOf([ann, [a2]], toBen) }),
      await sendJson(group, other, { sender: a2, recipients: recipientsOf([ann, [a1]], toBen) }),
    ];
    expect(sends.map(outcome)).toEqual(["201", "201"]);
    const recipients = await Promise.all(sockets.map((socket) => socket.first(1)));
    expect(recipients).toMatchObject([
      [{ payload: [{ data: { recipient: a1 } }] }],
      [{ payload: [{ data: { recipient: a2 } }] }],
    ]);
  });
});

describe.concurrent("a message that lacks a device", () => {
  it("returns 412 with the missing devices and reaches nobody, or reaches the others with ignore_missing", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroup();
    const json = {
      sender: a1,
      recipients: { ...recipientsOf([ann, [a2]]), [ben.id]: { [b1]: base64("first") } },
    };
    const refused = await sendJson(group, ann, json);
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 412,
      body: { time: expect.any(String), ...noMismatch, missing: { [ben.id]: [b2] } },
    });
    const again = { ...json, recipients: recipientsOf([ann, [a2]], [ben, [b1]]) };
    const sent = await sendJson(group, ann, again, { query: "?ignore_missing=true" });
    expect({ status: sent.status, body: sent.body }).toMatchObject({ status: 201, body: noMismatch });
    expect(await textsUntil(ben, b1, textFor(b1))).toEqual([textFor(b1)]);
  });

  it("returns 412 for each user without an addressed device, even the sender", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroup();
    const { status, body } = await sendJson(group, ann, { sender: a1, recipients: {} });
    expect(status).toBe(412);
    expect(body.missing).toEqual({
      [ann.id]: [a2],
      [ben.id]: expect.toSatisfy((ids: string[]) => ids.toSorted().join() === [b1, b2].toSorted().join()),
    });
  });

  const rules: [
    string,
    (users: { ann: User; ben: User }) => { query?: string; body?: Partial<OtrMessage> },
    number,
  ][] = [
    ["by default", () => ({}), 412],
    ["with ignore_missing=true", () => ({ query: "?ignore_missing=true" }), 201],
    ["with ignore_missing=false", () => ({ query: "?ignore_missing=false" }), 412],
    ["with ignore_missing of that user", ({ ben }) => ({ query: `?ignore_missing=${ben.id}` }), 201],
    ["with ignore_missing of another user", ({ ann }) => ({ query: `?ignore_missing=${ann.id}` }), 412],
    [
      "with ignore_missing of several users",
      ({ ann, ben }) => ({ query: `?ignore_missing=${ann.id},${ben.id}` }),
      201,
    ],
    ["with report_missing=true", () => ({ query: "?report_missing=true" }), 412],
    ["with report_missing=false", () => ({ query: "?report_missing=false" }), 201],
    ["with report_missing of that user", ({ ben }) => ({ query: `?report_missing=${ben.id}` }), 412],
    [
      "with report_missing of another user",
      ({ ann }) => ({ query: `?report_missing=${ann.id.toUpperCase()}` }),
      201,
    ],
    [
      "with ignore_missing=true against report_missing=true",
      () => ({ query: "?report_missing=true&ignore_missing=true" }),
      201,
    ],
    ["with an empty report_missing in the body", () => ({ body: { report_missing: [] } }), 201],
    ["with another user in the body", ({ ann }) => ({ body: { report_missing: [ann.id] } }), 201],
    [
      "with that user in the body, against ignore_missing=true",
      ({ ben }) => ({ query: "?ignore_missing=true", body: { report_missing: [ben.id] } }),
      412,
    ],
  ];

  it.each(rules)("is accepted or refused by the strategy: %s", async (_, of, status) => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroup();
    const { query, body } = of({ ann, ben });
    const message = { sender: a1, recipients: recipientsOf([ann, [a2]], [ben, [b1]]), ...body };
    const answer = await sendJson(group, ann, message, { query });
    expect(answer.status).toBe(status);
    expect(answer.body.missing).toEqual(status === 412 ? { [ben.id]: [b2] } : {});
  });

  it("is accepted or refused by the strategy in protobuf, where an empty report_missing counts as absent", async () => {
    const { ann, ben, a1, a2, b1, group } = await newGroup();
    const message = { sender: a1, recipients: recipientsOf([ann, [a2]], [ben, [b1]]) };
    expect((await sendProtobuf(group, ann, { ...message, report_missing: [] })).status).toBe(412);
    expect((await sendProtobuf(group, ann, { ...message, report_missing: [ann.id] })).status).toBe(201);
    expect((await sendProtobuf(group, ann, { ...message, report_missing: [ben.id] })).status).toBe(412);
    expect((await sendProtobuf(group, ann, message, { query: "?ignore_missing=true" })).status).toBe(201);
  });

  const strategies: [string, (ids: { ann: string; ben: string }) => QualifiedMessage["strategy"], number][] =
    [
      ["report all", () => "report_all", 412],
      ["ignore all", () => "ignore_all", 201],
      ["report only that user", ({ ben }) => ({ report_only: [ben] }), 412],
      ["report only another user", ({ ann }) => ({ report_only: [ann] }), 201],
      ["report nobody", () => ({ report_only: [] }), 201],
      ["ignore only that user", ({ ben }) => ({ ignore_only: [ben] }), 201],
      ["ignore only another user", ({ ann }) => ({ ignore_only: [ann] }), 412],
      ["ignore nobody", () => ({ ignore_only: [] }), 412],
    ];

  it.each(strategies)(
    "is accepted or refused by the strategy of a qualified message: %s",
    async (_, of, status) => {
      const { ann, ben, a1, a2, b1, b2, group } = await newGroup();
      const recipients = { [localDomain]: recipientsOf([ann, [a2]], [ben, [b1]]) };
      const strategy = of({ ann: ann.id, ben: ben.id });
      const answer = await sendQualified(group, ann, { sender: a1, recipients, strategy });
      expect({ status: answer.status, body: answer.body }).toEqual({
        status,
        body: {
          time: expect.any(String),
          missing: status === 412 ? { [localDomain]: { [ben.id]: [b2] } } : {},
          redundant: {},
          deleted: {},
          failed_to_send: {},
          failed_to_confirm_clients: {},
        },
      });
    },
  );
});

describe.concurrent("a message to devices that should not get it", () => {
  it("is sent, and those devices are listed as deleted or redundant", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroup();
    const stranger = await newUser();
    const [s1 = ""] = await addDevices(stranger);
    const gone = "dead";
    const unknown = randomUUID();
    const recipients = {
      ...recipientsOf([ann, [a1, a2]], [ben, [b1, b2, gone]], [stranger, [s1]]),
      [unknown]: { "1": "" },
    };
    const expected = {
      missing: {},
      deleted: { [ben.id]: [gone] },
      redundant: { [ann.id]: [a1], [stranger.id]: [s1], [unknown]: ["1"] },
    };
    const unqualified = await sendJson(group, ann, { sender: a1, recipients });
    expect({ status: unqualified.status, body: unqualified.body }).toMatchObject({
      status: 201,
      body: expected,
    });

    const remote: Recipients = { [unknown]: { beef: base64("far") }, [randomUUID()]: {} };
    const qualified = await sendQualified(group, ann, {
      sender: a1,
      recipients: { [localDomain]: recipients, "elsewhere.example": remote },
      strategy: "report_all",
    });
    expect({ status: qualified.status, body: qualified.body }).toMatchObject({
      status: 201,
      body: {
        missing: {},
        deleted: { [localDomain]: expected.deleted },
        redundant: { [localDomain]: expected.redundant, "elsewhere.example": { [unknown]: ["beef"] } },
      },
    });
    await eventually(async () => expect(await messagesOf(ben, b1)).toHaveLength(2));
    expect(await storedEvents(stranger.token, "conversation.otr-message-add")).toEqual([]);
    expect(await messagesOf(ann, a1)).toEqual([]);
  });
});

describe.concurrent("a message", () => {
  it("has equal results in JSON and both forms of protobuf", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroup();
    const message = {
      sender: a1,
      recipients: recipientsOf([ann, [a1, a2]], [ben, [b1, b2, "dead"]], [{ id: randomUUID() }, ["1"]]),
      data: base64("for all"),
      native_push: false,
      native_priority: "low",
    } as const;
    const json = await sendJson(group, ann, message);
    const unqualified = await sendProtobuf(group, ann, message);
    const qualified = await sendQualified(group, ann, {
      ...message,
      recipients: { [localDomain.toUpperCase()]: message.recipients },
      strategy: "report_all",
    });
    const statusAndLists = ({ status, body: { time: _, ...lists } }: typeof json) => ({ status, ...lists });
    expect(statusAndLists(unqualified)).toEqual(statusAndLists(json));
    expect(qualified.body).toMatchObject({
      missing: {},
      deleted: { [localDomain]: json.body.deleted },
      redundant: { [localDomain]: json.body.redundant },
    });
    const events = await eventually(async () => {
      const found = await messagesOf(ben, b2);
      expect(found).toHaveLength(3);
      return found.map((event) => ({ ...event, time: "" }));
    });
    expect(events[1]).toEqual(events[0]);
    expect(events[2]).toEqual(events[0]);
  });

  it("may have ids of devices and users in any case and padding; the last entry wins", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroup();
    const padded = (id: string) => id.toUpperCase().padStart(16, "0");
    const recipients = {
      [ann.id.toUpperCase()]: { [padded(a2)]: "" },
      [ben.id]: { [b1]: base64("first"), [padded(b2)]: "", [`0${b1}`]: base64("last") },
    };
    const { status, body } = await sendJson(group, ann, { sender: padded(a1), recipients });
    expect({ status, body }).toMatchObject({ status: 201, body: noMismatch });
    expect(await textsUntil(ben, b1, base64("last"))).toEqual([base64("last")]);
    expect(await messagesOf(ben, b1)).toMatchObject([{ data: { sender: a1, recipient: b1 } }]);
  });

  it("is not stored when it is transient, but reaches sockets", async () => {
    const { ann, ben, a1, b1, group } = await newGroup();
    const socket = await openSocket("/await", { token: ben.token, query: { client: b1 } });
    const send = (text: string, transient: boolean) =>
      sendJson(
        group,
        ann,
        { sender: a1, recipients: { [ben.id]: { [b1]: base64(text) } }, transient },
        { query: "?ignore_missing=true" },
      );
    expect(outcome(await send("passing", true))).toBe("201");
    expect(outcome(await send("lasting", false))).toBe("201");
    const frames = await socket.first(2);
    expect(frames).toMatchObject([
      { transient: true, payload: [{ data: { text: base64("passing") } }] },
      { transient: false, payload: [{ data: { text: base64("lasting") } }] },
    ]);
    expect(await textsUntil(ben, b1, base64("lasting"))).toEqual([base64("lasting")]);
  });

  it("must be sent from a device of the sender", async () => {
    const { ann, ben, a1, b1, group } = await newGroup();
    for (const sender of [b1, "dead", "0"]) {
      expect(outcome(await sendJson(group, ann, { sender, recipients: {} }))).toBe("403 unknown-client");
      const qualified = { sender, recipients: {}, strategy: "ignore_all" } as const;
      expect(outcome(await sendQualified(group, ann, qualified))).toBe("403 unknown-client");
    }
    // Checked after membership, before mismatches.
    const stranger = await newUser();
    expect(outcome(await sendJson(group, stranger, { sender: "dead", recipients: {} }))).toBe(
      "404 no-conversation",
    );
    const { password } = ann;
    await api("DELETE", `/v8/clients/${a1}`, { token: ann.token, json: { password } });
    expect(outcome(await sendJson(group, ann, { sender: a1, recipients: recipientsOf([ben, [b1]]) }))).toBe(
      "403 unknown-client",
    );
  });

  it("is accepted only in Proteus and mixed conversations", async () => {
    const { ann, ben, a1 } = await newGroup();
    const [mls, mixed] = await Promise.all([
      newConversation([ann, ben], { protocol: "mls" }),
      newConversation([ann, ben], { protocol: "mixed" }),
    ]);
    const message = { sender: a1, recipients: {} };
    expect(outcome(await sendJson(mls, ann, message))).toBe("404 no-conversation");
    expect(outcome(await sendJson(mixed, ann, message))).toBe("412");
    expect(outcome(await sendJson({ id: randomUUID() }, ann, message))).toBe("404 no-conversation");
    const path = `/conversations/elsewhere.example/${mixed.id}/proteus/messages`;
    const body = encodeQualifiedMessage({ sender: a1, recipients: {}, strategy: "ignore_all" });
    const answer = await api("POST", path, { token: ann.token, body, headers: protobuf });
    expect(outcome(answer)).toBe("400 federation-not-enabled");
  });

  it("to nobody is accepted when nobody is missing", async () => {
    const ann = await newUser();
    const [a1 = ""] = await addDevices(ann);
    const group = await newConversation([ann]);
    const { status, body } = await sendJson(group, ann, { sender: a1, recipients: {} });
    expect({ status, body }).toMatchObject({ status: 201, body: noMismatch });
  });

  it("is delivered in the order in which its sender has sent it", async () => {
    const { ann, ben, a1, b1, group } = await newGroup();
    const texts = Array.from({ length: 10 }, (_, index) => base64(`message ${index}`));
    const times: string[] = [];
    for (const text of texts) {
      const recipients = { [ben.id]: { [b1]: text } };
      const { body } = await sendJson(
        group,
        ann,
        { sender: a1, recipients },
        { query: "?ignore_missing=true" },
      );
      times.push(body.time);
    }
    expect(await textsUntil(ben, b1, texts.at(-1) ?? "")).toEqual(texts);
    expect(times).toEqual(times.toSorted());
  });
});

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
    const { ann, ben, a1, b1, group } = await newGroup();
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
    await eventually(async () => expect(await messagesOf(ben, b1)).toHaveLength(4));
  });

  it("arrives whole, even if it takes several items of a table", async () => {
    const { ann, ben, a1, b1, b2, group } = await newGroup();
    const texts = [b1, b2].map(
      (id, index) => [id, Buffer.alloc(1_500_000, index + 1).toString("base64")] as const,
    );
    const message = { sender: a1, recipients: { [ben.id]: Object.fromEntries(texts) } };
    expect((await sendJson(group, ann, message, { query: "?ignore_missing=true" })).status).toBe(201);
    for (const [id, expected] of texts) await textsUntil(ben, id, expected);
  });

  it("of more than 6 MB is refused with 413, as is a gzip bomb", async () => {
    const { ann, a1, group } = await newGroup();
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
    const { ann, ben, a1, b1, group } = await newGroup();
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
      const messages = await messagesOf(ben, b1);
      expect(messages).toHaveLength(1);
      return messages as [(typeof messages)[0]];
    });
    expect([data.data.length, data.text.length]).toEqual([2_000_000, 2_100_000]);
  });

  it("to as many strangers as fit is answered in time", async () => {
    const { ann, a1, group } = await newGroup();
    const strangers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, () => [randomUUID(), { "1": "" }]));
    const query = "?ignore_missing=true";
    const sent = await sendProtobuf(group, ann, { sender: a1, recipients: strangers(50_000) }, { query });
    expect(sent.status).toBe(201);
    expect(Object.keys(sent.body.redundant)).toHaveLength(50_000);
    const refused = await sendProtobuf(group, ann, { sender: a1, recipients: strangers(50_001) }, { query });
    expect(outcome(refused)).toBe("400 bad-request");
  });

  it("of too many tiny parts is refused", async () => {
    const { ann, a1, group } = await newGroup();
    const devices = Array.from({ length: 400_000 }, (_, index) => [index.toString(16), ""]);
    const message = { sender: a1, recipients: { [ann.id]: Object.fromEntries(devices) } };
    expect(outcome(await sendJson(group, ann, message))).toBe("400 bad-request");
    expect(outcome(await sendProtobuf(group, ann, message))).toBe("400 bad-request");
  });

  it("to more outsiders than the conversation has members returns 412 with the members' devices", async () => {
    const { ann, ben, a1, a2, b1, group } = await newGroup();
    const strangers = Object.fromEntries(Array.from({ length: 600 }, () => [randomUUID(), { "1": "" }]));
    const recipients = { ...strangers, ...recipientsOf([ann, [a2]], [ben, [b1]]) };
    const { status, body } = await sendProtobuf(group, ann, { sender: a1, recipients });
    expect(status).toBe(412);
    expect(Object.keys(body.missing)).toEqual([ben.id]);
    expect(Object.keys(body.redundant)).toHaveLength(600);
  });
});
