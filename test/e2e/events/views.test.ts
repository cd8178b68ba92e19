import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { streams } from "#shared/events/notification.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { api, internalApi } from "../../support/api.ts";
import { eventSource, newReader, type Reader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { openSocket } from "../../support/socket.ts";

const source = eventSource();
const [phone, tablet] = ["aa", "bb"];

const message = defineEvent({
  type: "test.message",
  summary: "A test sends something to devices",
  recipients: "conversation-members",
  schema: z.looseObject({ conversation: z.string(), data: z.looseObject({}) }),
});
const creation = defineEvent({
  type: "test.create",
  summary: "A test creates something with members",
  recipients: "conversation-members",
  hasOwnViews: true,
  schema: z.looseObject({ data: z.looseObject({}) }),
});

const textTo = ({ userId }: Pick<Reader, "userId">, clientId: string, text: string) => ({
  userId,
  clientIds: [clientId],
  overlay: { data: { recipient: clientId, text } },
});

const newGroup = () => conversationGroup(randomUUID());

/** Events in a user's list, as soon as there are `count`. */
const listed = ({ token }: Pick<Reader, "token">, count: number, query = "") =>
  eventually(async () => {
    const { body } = await api("GET", `/notifications${query}`, { token });
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
    const all: any[] = body.notifications.flatMap(({ payload }: { payload: unknown[] }) => payload);
    expect(all).toHaveLength(count);
    return all;
  });

/** A socket of each kind for a device. */
async function openBoth({ token, userId }: Reader, client: string) {
  await internalApi("POST", `/i/users/${userId}/clients/${client}/consumable-notifications`);
  const [awaiting, consuming] = await Promise.all([
    openSocket("/await", { token, query: { client } }),
    openSocket("/events", { token, query: { client } }),
  ]);
  return { awaiting, consuming };
}

describe.concurrent("an event with separate data for each device", () => {
  const base = { conversation: "one", data: { sender: "cc", recipient: "", text: "", data: "" } };

  it.each([
    { size: "small", bytes: 20, data: "" },
    { size: "larger than a log entry should be", bytes: 2000, data: "" },
    { size: "too large for the queue", bytes: 40_000, data: "x".repeat(30_000) },
  ])("shows each device its own data by every way of delivery, when it is $size", async ({ bytes, data }) => {
    const [ada, bob] = await Promise.all([newReader(), newReader()]);
    const sockets = await openBoth(ada, phone);
    const content = { ...base, data: { ...base.data, data } };
    const recipients = [
      textTo(ada, phone, "p".repeat(bytes)),
      textTo(ada, tablet, "t".repeat(bytes)),
      textTo(bob, phone, "b".repeat(bytes)),
    ];
    await source.send({ group: newGroup(), recipients }, message, content);
    const expected = (recipient: string, letter: string) => ({
      type: "test.message",
      conversation: "one",
      data: { ...content.data, recipient, text: letter.repeat(bytes) },
    });
    const [frame] = await sockets.awaiting.first(1);
    const [{ data: queued }] = await sockets.consuming.first(1);

    expect(await listed(ada, 1, `?client=${phone}`)).toEqual([expected(phone, "p")]);
    expect(await listed(ada, 1, `?client=${tablet}`)).toEqual([expected(tablet, "t")]);
    expect(await listed(ada, 2)).toEqual([expected(phone, "p"), expected(tablet, "t")]);
    expect(await listed(bob, 1)).toEqual([expected(phone, "b")]);
    expect(frame.payload).toEqual([expected(phone, "p")]);
    expect(queued.event.payload).toEqual([expected(phone, "p")]);
    expect(sockets.awaiting.frames).toHaveLength(1);
    expect(sockets.consuming.frames).toHaveLength(1);
  });

  it("may name another conversation to each user", async () => {
    const [ada, bob] = await Promise.all([newReader(), newReader()]);
    const recipients = [ada, bob].map((reader) => ({
      ...textTo(reader, phone, "hello"),
      overlay: { conversation: reader.userId, data: { text: "hello" } },
    }));
    await source.send({ group: newGroup(), recipients }, message, base);

    for (const reader of [ada, bob]) {
      const data = { ...base.data, text: "hello" };
      expect(await listed(reader, 1)).toEqual([{ type: "test.message", conversation: reader.userId, data }]);
    }
  });

  it("has a separate notification for each device, also when it is transient", async () => {
    const ada = await newReader();
    const socket = await openSocket("/await", ada);
    const recipients = [textTo(ada, phone, "p"), textTo(ada, tablet, "t")];
    await source.send({ group: newGroup(), recipients }, { ...message, isTransient: true }, base);
    const frames = await socket.first(2);

    expect(frames.map(({ payload }) => payload[0].data.text)).toEqual(["p", "t"]);
    expect(new Set(frames.map(({ id }) => id)).size).toBe(2);
    expect(await listed(ada, 0)).toEqual([]);
  });

  it("reaches nobody when it is transient and no frame can hold it", async () => {
    const ada = await newReader();
    const socket = await openSocket("/await", ada);
    const group = newGroup();
    const spec = { ...message, isTransient: true };
    for (const bytes of [400_000, 20]) {
      const recipients = [textTo(ada, phone, "p".repeat(bytes))];
      await source.send({ group, recipients }, spec, base);
    }
    const [frame] = await socket.first(1);

    expect(frame.payload[0].data.text).toHaveLength(20);
  });

  it("stores common data once, and the ciphertexts of large messages outside the logs", async () => {
    const readers = await Promise.all(upTo(3).map(() => newReader()));
    const data = { ...base.data, data: "d".repeat(200_000) };
    const recipients = readers.map((reader) => textTo(reader, phone, "x".repeat(150_000)));
    await source.send({ group: newGroup(), recipients }, message, { ...base, data });
    const entries = await eventually(() =>
      Promise.all(
        readers.map(async ({ userId }) => {
          const { value } = await source.store.after(streams.user(userId), 0).next();
          expect(value).toBeDefined();
          return value;
        }),
      ),
    );

    expect(new Set(entries.map(({ payloadId }) => payloadId)).size).toBe(1);
    expect(new Set(entries.map(({ overlayId }) => overlayId)).size).toBe(3);
    for (const entry of entries) expect(JSON.stringify(entry).length).toBeLessThan(700);
    for (const reader of readers) {
      const [event] = await listed(reader, 1);
      expect(event.data).toEqual({ ...data, recipient: phone, text: "x".repeat(150_000) });
    }
  });

  it("may have as many bytes as Lambda accepts in a request", async () => {
    const readers = await Promise.all(upTo(6).map(() => newReader()));
    const recipients = readers.flatMap((reader) =>
      upTo(4).map((number) => textTo(reader, `c${number}`, `${number}`.repeat(250_000))),
    );
    await source.send({ group: newGroup(), recipients }, message, base);

    for (const reader of readers) {
      const texts = (await listed(reader, 4)).map(({ data }) => data.text);
      expect(texts).toEqual(upTo(4).map((number) => `${number}`.repeat(250_000)));
    }
  });

  it("is announced to a device's queue, and found in the list, when no frame can hold it", async () => {
    const ada = await newReader();
    const { awaiting, consuming } = await openBoth(ada, phone);
    const group = newGroup();
    for (const size of [150_000, 300_000]) {
      await source.send({ group, recipients: [textTo(ada, phone, "x".repeat(size))] }, message, base);
    }
    await source.send({ group, recipients: [textTo(ada, phone, "small")] }, message, base);
    expect(await awaiting.closed).toMatchObject({ code: 1000 });
    const [missed] = await consuming.first(1);
    expect(missed).toEqual({ type: "notifications_missed" });
    let acknowledged = 0;
    await consuming.until((frames) => {
      // The second large event may come after the notice of the first is acknowledged: then it has its own.
      const notices = frames.filter(({ type }) => type === "notifications_missed").length;
      for (; acknowledged < notices; acknowledged++) consuming.send({ type: "ack_full_sync" });
      return frames.length > notices;
    });

    const { data } = await consuming.next(({ type }) => type === "event");
    expect(data.event.payload[0].data.text).toBe("small");
    expect((await listed(ada, 3)).map(({ data }) => data.text.length)).toEqual([150_000, 300_000, 5]);
  });
});

describe.concurrent("an event with a list of members", () => {
  const memberOf = ({ userId }: Pick<Reader, "userId">) => ({
    qualified_id: { domain: "example.com", id: userId },
    id: userId,
    conversation_role: "test_member",
    status: 0,
  });
  const selfOf = (reader: Reader) => ({
    ...memberOf(reader),
    service: null,
    status_ref: "0.0",
    status_time: "1970-01-01T00:00:00.000Z",
    otr_muted_status: null,
    otr_muted_ref: null,
    otr_archived: false,
    otr_archived_ref: null,
    hidden: false,
    hidden_ref: null,
  });

  it.each([2, 130])("shows each of %i members their own entry apart from the others", async (count) => {
    const readers = await Promise.all(upTo(3).map(() => newReader()));
    const all = [...readers, ...upTo(count - 3).map(() => ({ userId: randomUUID() }))].slice(0, count);
    const sockets = await openBoth(readers[0] as Reader, phone);
    const recipients = all.map(({ userId }) => ({ userId }));
    const data = { name: "A group", members: { others: all.map(memberOf) } };
    await source.send({ group: newGroup(), recipients }, creation, { data });
    const expected = (reader: Reader) => ({
      type: "test.create",
      data: {
        name: "A group",
        members: {
          self: selfOf(reader),
          others: all.filter(({ userId }) => userId !== reader.userId).map(memberOf),
        },
      },
    });
    const [first] = readers as [Reader];
    const [frame] = await sockets.awaiting.first(1);
    const [{ data: queued }] = await sockets.consuming.first(1);

    for (const reader of readers.slice(0, count)) expect(await listed(reader, 1)).toEqual([expected(reader)]);
    expect(frame.payload).toEqual([expected(first)]);
    expect(queued.event.payload).toEqual([expected(first)]);
  });

  it("shows all entries to somebody who is not in the list, and none apart", async () => {
    const [stranger, member] = await Promise.all([newReader(), newReader()]);
    const members = { others: [memberOf(member)] };
    const recipients = [{ userId: stranger.userId }];
    await source.send({ group: newGroup(), recipients }, creation, { data: { members } });

    expect(await listed(stranger, 1)).toEqual([{ type: "test.create", data: { members } }]);
  });
});

it("the events of a group are ordered by their own times, whatever the clocks of the functions say", async () => {
  const reader = await newReader();
  const group = newGroup();
  const now = Date.now();
  const [ahead, behind] = [eventSource({ clock: () => now + 500 }), eventSource({ clock: () => now - 500 })];
  for (const number of upTo(6)) {
    const functions = number % 2 === 0 ? behind : ahead;
    const audience = { group, recipients: [{ userId: reader.userId }], time: now + number };
    await functions.send(audience, message, { conversation: `${number}`, data: {} });
  }

  expect((await listed(reader, 6)).map(({ conversation }) => Number(conversation))).toEqual(upTo(6));
});
