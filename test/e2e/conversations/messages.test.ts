import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import {
  addDevices,
  encodeQualifiedMessage,
  messagesInList,
  newGroupWithDevices,
  type OtrMessage,
  protobuf,
  type QualifiedMessage,
  type Recipients,
  recipientsOf,
  sendJson,
  sendProtobuf,
  sendQualified,
  textFor,
  textsUntil,
} from "../../support/otr-messages.ts";
import { openSocket } from "../../support/socket.ts";
import { logIn, newUser, type User } from "../../support/users.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const noMismatch = { missing: {}, redundant: {}, deleted: {} };

describe.concurrent("a message to all devices", () => {
  it("arrives at each of them with its own text, and nowhere else", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroupWithDevices();
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
      expect(await messagesInList(user, clientId)).toEqual([
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
    expect(await messagesInList(ann, a1)).toEqual([]);
  });

  it("carries an empty blob when none was sent", async () => {
    const { ann, ben, a1, b1, group } = await newGroupWithDevices();
    const json = { sender: a1, recipients: recipientsOf([ben, [b1]]) };
    await sendJson(group, ann, json, { query: "?ignore_missing=true" });
    await textsUntil(ben, b1, textFor(b1));
    expect(await messagesInList(ben, b1)).toMatchObject([{ data: { data: "" } }]);
  });

  it("reaches the other devices of the sender on sockets, but not the sending one", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroupWithDevices();
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
    const { ann, ben, a1, a2, b1, b2, group } = await newGroupWithDevices();
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
    const { ann, ben, a1, a2, b1, b2, group } = await newGroupWithDevices();
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
    const { ann, ben, a1, a2, b1, b2, group } = await newGroupWithDevices();
    const { query, body } = of({ ann, ben });
    const message = { sender: a1, recipients: recipientsOf([ann, [a2]], [ben, [b1]]), ...body };
    const answer = await sendJson(group, ann, message, { query });
    expect(answer.status).toBe(status);
    expect(answer.body.missing).toEqual(status === 412 ? { [ben.id]: [b2] } : {});
  });

  it("is accepted or refused by the strategy in protobuf, where an empty report_missing counts as absent", async () => {
    const { ann, ben, a1, a2, b1, group } = await newGroupWithDevices();
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
      const { ann, ben, a1, a2, b1, b2, group } = await newGroupWithDevices();
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
    const { ann, ben, a1, a2, b1, b2, group } = await newGroupWithDevices();
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
    await eventually(async () => expect(await messagesInList(ben, b1)).toHaveLength(2));
    expect(await storedEvents(stranger.token, "conversation.otr-message-add")).toEqual([]);
    expect(await messagesInList(ann, a1)).toEqual([]);
  });
});

describe.concurrent("a message", () => {
  it("has equal results in JSON and both forms of protobuf", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroupWithDevices();
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
      const found = await messagesInList(ben, b2);
      expect(found).toHaveLength(3);
      return found.map((event) => ({ ...event, time: "" }));
    });
    expect(events[1]).toEqual(events[0]);
    expect(events[2]).toEqual(events[0]);
  });

  it("may have ids of devices and users in any case and padding; the last entry wins", async () => {
    const { ann, ben, a1, a2, b1, b2, group } = await newGroupWithDevices();
    const padded = (id: string) => id.toUpperCase().padStart(16, "0");
    const recipients = {
      [ann.id.toUpperCase()]: { [padded(a2)]: "" },
      [ben.id]: { [b1]: base64("first"), [padded(b2)]: "", [`0${b1}`]: base64("last") },
    };
    const { status, body } = await sendJson(group, ann, { sender: padded(a1), recipients });
    expect({ status, body }).toMatchObject({ status: 201, body: noMismatch });
    expect(await textsUntil(ben, b1, base64("last"))).toEqual([base64("last")]);
    expect(await messagesInList(ben, b1)).toMatchObject([{ data: { sender: a1, recipient: b1 } }]);
  });

  it("is not stored when it is transient, but reaches sockets", async () => {
    const { ann, ben, a1, b1, group } = await newGroupWithDevices();
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
    const { ann, ben, a1, b1, group } = await newGroupWithDevices();
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
    const { ann, ben, a1 } = await newGroupWithDevices();
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
    const { ann, ben, a1, b1, group } = await newGroupWithDevices();
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
