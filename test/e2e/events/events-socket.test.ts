import { describe, expect, it } from "vitest";
import { streams } from "#shared/events/notification.ts";
import { outcome } from "../../support/api.ts";
import {
  eventSource,
  type NumberedNotification,
  newReader,
  numbersIn,
  numbersListed,
  type Reader,
  upTo,
} from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { ownStack } from "../../support/own-stack.ts";
import { openSocket, type SocketRequest, type TestSocket } from "../../support/socket.ts";
import { socketMode } from "../../support/socket-mode.ts";

/** Bytes that no frame holds: one of API Gateway has 128 KB, one of a relay 1 MB. */
const tooLarge = socketMode() === "gateway" ? 130 * 1024 : 1_100_000;

const stack = await ownStack({ notificationTTL: 3600 });
const { publicApi, internalApi } = stack;
const events = eventSource(stack);
const clientId = "c0ffee";

const open = (path: string, request: SocketRequest) => openSocket(path, request, stack);

/** A user whose device has a queue. */
async function newDevice(): Promise<Reader> {
  const reader = await newReader(stack);
  const path = `/i/users/${reader.userId}/clients/${clientId}/consumable-notifications`;
  expect(outcome(await internalApi("POST", path))).toBe("204");
  return reader;
}

const connect = (
  { token }: Reader,
  { path = "/v9/events", query = {} }: { path?: string; query?: Record<string, string> } = {},
) => open(path, { token, query: { client: clientId, ...query } });

interface EventFrame {
  readonly type: "event";
  readonly data: {
    readonly event: { readonly id: string; readonly payload: readonly { readonly number: number }[] };
    readonly delivery_tag: number;
  };
}

const isEvent = (frame: { type: string }): frame is EventFrame => frame.type === "event";
const numbersOf = ({ frames }: TestSocket): number[] =>
  frames.filter(isEvent).flatMap(({ data }) => data.event.payload.map(({ number }) => number));
const tagOf = (socket: TestSocket, number: number): number =>
  socket.frames.filter(isEvent).find(({ data }) => data.event.payload[0]?.number === number)?.data
    .delivery_tag ?? 0;

const ack = (socket: TestSocket, number: number, { multiple = false } = {}) =>
  socket.send({ type: "ack", data: { delivery_tag: tagOf(socket, number), multiple } });

/** Numbers of the events that the device has not acknowledged. */
async function unacknowledged({ userId }: Reader): Promise<number[]> {
  const numbers: number[] = [];
  for await (const entry of events.store.after(streams.device(userId, clientId), 0)) {
    if (entry.isAcknowledged || entry.markerId !== undefined) continue;
    numbers.push(...numbersIn((await events.store.withPayloads([entry])) as NumberedNotification[]));
  }
  return numbers;
}

const untilUnacknowledged = (reader: Reader, numbers: number[]) =>
  eventually(async () => expect(await unacknowledged(reader)).toEqual(numbers));

async function publishInOrder(to: Reader, numbers: number[]): Promise<void> {
  await events.publish(...numbers.map((number) => ({ number, to: [to], sender: to.userId })));
}

describe.concurrent("a device's queue", () => {
  it("is created once, and only by the internal API", async () => {
    const { userId, token } = await newDevice();
    const path = `/i/users/${userId}/clients/${clientId}/consumable-notifications`;
    expect(outcome(await internalApi("POST", path))).toBe("204");
    expect(outcome(await publicApi("POST", path, { token }))).toBe("404 no-endpoint");
    expect(
      outcome(await internalApi("POST", `/i/users/nobody/clients/${clientId}/consumable-notifications`)),
    ).toBe("400 bad-request");
  });

  it("arrives as frames with increasing delivery tags, including earlier events", async () => {
    const device = await newDevice();
    await publishInOrder(device, [1, 2]);
    await untilUnacknowledged(device, [1, 2]);
    const socket = await connect(device);
    await socket.first(2);
    await publishInOrder(device, [3]);
    const frames = await socket.first(3);

    const event = (number: number) => ({
      type: "event",
      data: {
        event: { id: expect.any(String), payload: [{ type: "test.numbered", number }] },
        delivery_tag: expect.any(Number),
      },
    });
    expect(frames).toEqual([event(1), event(2), event(3)]);
    const tags = frames.map(({ data }) => data.delivery_tag);
    expect(tags).toEqual([tags[0], tags[0] + 1, tags[0] + 2]);
    expect(new Set(frames.map(({ data }) => data.event.id)).size).toBe(3);
    expect(numbersListed(await publicApi("GET", "/notifications", device))).toEqual([1, 2, 3]);
  });

  it("accepts client_id for client, with and without a version", async () => {
    const device = await newDevice();
    await publishInOrder(device, [1]);
    await untilUnacknowledged(device, [1]);
    for (const path of ["/events", "/v8/events", "/v9/events"]) {
      const socket = await open(path, { token: device.token, query: { client_id: clientId } });
      await socket.first(1);
      expect(numbersOf(socket)).toEqual([1]);
      await socket.close();
    }
  });

  it("sends unacknowledged events again, in order, but no acknowledged ones", async () => {
    const device = await newDevice();
    const first = await connect(device);
    await publishInOrder(device, upTo(5));
    await first.first(5);
    ack(first, 2);
    ack(first, 4);
    await untilUnacknowledged(device, [1, 3, 5]);
    await first.close();
    const second = await connect(device);
    await second.first(3);

    expect(numbersOf(second)).toEqual([1, 3, 5]);
    ack(second, 3, { multiple: true });
    await untilUnacknowledged(device, [5]);
    await second.terminate();
    const third = await connect(device);
    await third.first(1);
    ack(third, 5);
    await untilUnacknowledged(device, []);
    await publishInOrder(device, [6]);
    await third.first(2);
    expect(numbersOf(third)).toEqual([5, 6]);
  });

  it("counts acknowledgements that are sent while events arrive", async () => {
    const device = await newDevice();
    const socket = await connect(device);
    const acknowledging = (async () => {
      for (const number of upTo(20)) {
        await socket.next((frame) => isEvent(frame) && frame.data.event.payload[0]?.number === number);
        ack(socket, number, { multiple: number % 2 === 0 });
      }
    })();
    await publishInOrder(device, upTo(20));
    await acknowledging;

    expect(numbersOf(socket)).toEqual(upTo(20));
    await untilUnacknowledged(device, []);
  });

  it("includes events caused by its own connection, and only those meant for the device", async () => {
    const device = await newDevice();
    const { userId, connectionId } = device;
    const socket = await connect(device);
    const origin = { userId, connectionId };
    await events.publish({ number: 1, to: [device], sender: userId, origin });
    await events.publish(
      { number: 2, to: [{ userId, clientIds: ["another"] }], sender: userId },
      { number: 3, to: [{ userId, clientIds: ["another", clientId] }], sender: userId },
    );
    await socket.first(2);

    expect(numbersOf(socket)).toEqual([1, 3]);
  });

  it("goes to one socket at a time, and to the next when that one closes", async () => {
    const device = await newDevice();
    const first = await connect(device);
    await publishInOrder(device, [1]);
    await first.first(1);
    const second = await connect(device);
    const third = await connect(device);
    await publishInOrder(device, [2]);
    await first.first(2);
    expect([numbersOf(first), numbersOf(second), numbersOf(third)]).toEqual([[1, 2], [], []]);
    ack(first, 1);
    await untilUnacknowledged(device, [2]);

    await first.close();
    await second.first(1);
    await publishInOrder(device, [3]);
    await second.first(2);
    expect(numbersOf(second)).toEqual([2, 3]);
    await second.terminate();
    await third.first(2);
    expect(numbersOf(third)).toEqual([2, 3]);
  });

  it("includes transient events only while a socket is open", async () => {
    const device = await newDevice();
    await events.publish({ number: 1, to: [device], sender: device.userId, isTransient: true });
    await events.publish({ number: 2, to: [device], sender: device.userId });
    await untilUnacknowledged(device, [2]);
    const first = await connect(device);
    await first.first(1);
    await events.publish({ number: 3, to: [device], sender: device.userId, isTransient: true });
    await events.publish({ number: 4, to: [device], sender: device.userId });
    await first.first(3);
    expect(numbersOf(first)).toEqual([2, 3, 4]);
    await first.close();

    const second = await connect(device);
    await second.first(2);
    await events.publish({ number: 5, to: [device], sender: device.userId });
    await second.first(3);
    expect(numbersOf(second)).toEqual([2, 4, 5]);
  });

  it("has separate acknowledgements for each device", async () => {
    const device = await newDevice();
    const other = "deaf";
    await internalApi("POST", `/i/users/${device.userId}/clients/${other}/consumable-notifications`);
    const [one, two] = await Promise.all([connect(device), connect(device, { query: { client: other } })]);
    await publishInOrder(device, [1]);
    await one.first(1);
    await two.first(1);
    ack(one, 1);
    await untilUnacknowledged(device, []);
    await two.close();
    const again = await connect(device, { query: { client: other } });
    await again.first(1);

    expect(numbersOf(again)).toEqual([1]);
  });
});

describe.concurrent("a device without a queue", () => {
  it("receives nothing, on a socket that stays open", async () => {
    const reader = await newReader(stack);
    const socket = await connect(reader);
    const watching = await open("/await", reader);
    await publishInOrder(reader, [1]);
    await watching.first(1);
    socket.send("ping");
    await socket.first(1);

    expect(socket.frames).toEqual(["pong"]);
  });
});

describe.concurrent("a socket without a device", () => {
  it("receives events for all devices from now on, and nothing old after a reconnect", async () => {
    const reader = await newReader(stack);
    const { token, userId } = reader;
    await publishInOrder(reader, [1]);
    await eventually(async () => {
      expect(numbersListed(await publicApi("GET", "/notifications", { token }))).toEqual([1]);
    });
    const first = await open("/v9/events", { token, query: { sync_marker: "not for me" } });
    await events.publish(
      { number: 2, to: [reader], sender: userId },
      { number: 3, to: [{ userId, clientIds: [clientId] }], sender: userId },
      { number: 4, to: [reader], sender: userId, isTransient: true },
      { number: 5, to: [reader], sender: userId },
    );
    await first.first(3);
    expect(numbersOf(first)).toEqual([2, 4, 5]);
    expect(first.frames.map(({ data }) => data.delivery_tag)).toEqual([1, 2, 3]);
    ack(first, 2);
    await first.close();

    const second = await open("/v9/events", { token });
    await events.publish({ number: 6, to: [reader], sender: userId });
    await second.first(1);
    expect(numbersOf(second)).toEqual([6]);
    expect(tagOf(second, 6)).toBe(1);
  });
});

describe.concurrent("a message sent on /events", () => {
  it.each(["nonsense", "{}", "[]", "null", '{"type":"nack","data":{"delivery_tag":1}}'])(
    "counts as a ping behind API Gateway, and closes the socket on a relay, when it is %s",
    async (text) => {
      const [device, reader] = [await newDevice(), await newReader(stack)];
      for (const socket of [await connect(device), await open("/events", reader)]) {
        socket.send(text);
        if (socketMode() === "gateway") expect(await socket.first(1)).toEqual(["pong"]);
        else expect(await socket.closed).toEqual({ code: 1003, reason: "failed-to-parse" });
      }
    },
  );

  it.each([
    '{"type":"ack"}',
    '{"type":"ack","data":{"delivery_tag":"1","multiple":false}}',
    '{"type":"ack","data":{"delivery_tag":-1,"multiple":false}}',
    '{"type":"ack_full_sync"}',
  ])("closes the socket when it is %s", async (text) => {
    const [device, reader] = [await newDevice(), await newReader(stack)];
    for (const socket of [await connect(device), await open("/events", reader)]) {
      socket.send(text);
      const reason = text.includes("full_sync") ? "unexpected-ack" : "failed-to-parse";
      expect(await socket.closed).toEqual(
        socketMode() === "gateway"
          ? { code: 1000, reason: "Connection Closed Normally" }
          : { code: 1003, reason },
      );
    }
  });

  it("is ignored when it acknowledges an unknown delivery tag", async () => {
    const device = await newDevice();
    const socket = await connect(device);
    await publishInOrder(device, [1]);
    await socket.first(1);
    socket.send({ type: "ack", data: { delivery_tag: 4711, multiple: false } });
    socket.send({ type: "ack", data: { delivery_tag: 0, multiple: true } });
    socket.send("ping");
    await socket.first(2);

    expect(await unacknowledged(device)).toEqual([1]);
    await publishInOrder(device, [2]);
    await socket.first(3);
    expect(numbersOf(socket)).toEqual([1, 2]);
  });
});

describe.concurrent("synchronization", () => {
  const isMarker = ({ type }: { type: string }) => type === "synchronization";

  it("follows the queued events and must be acknowledged, while older markers are not repeated", async () => {
    const device = await newDevice();
    await publishInOrder(device, upTo(3));
    await untilUnacknowledged(device, upTo(3));
    const first = await connect(device, { query: { sync_marker: "marker one" } });
    const frames = await first.first(4);
    expect(numbersOf(first)).toEqual(upTo(3));
    expect(frames[3]).toEqual({
      type: "synchronization",
      data: { marker_id: "marker one", delivery_tag: frames[2].data.delivery_tag + 1 },
    });
    first.send({ type: "ack", data: { delivery_tag: frames[3].data.delivery_tag, multiple: true } });
    await untilUnacknowledged(device, []);
    await publishInOrder(device, [4]);
    await first.first(5);
    await first.close();

    const second = await connect(device, { query: { sync_marker: "marker two" } });
    const again = await second.first(2);
    expect(numbersOf(second)).toEqual([4]);
    expect(again[1].data.marker_id).toBe("marker two");
    await second.close();

    const third = await connect(device, { query: { sync_marker: "marker three" } });
    await third.next(isMarker);
    expect(third.frames.filter(isMarker).map(({ data }) => data.marker_id)).toEqual(["marker three"]);
  });

  it("is immediate when nothing is queued, even without a version", async () => {
    const device = await newDevice();
    const socket = await connect(device, { path: "/events", query: { sync_marker: "here" } });
    expect(await socket.first(1)).toMatchObject([{ type: "synchronization", data: { marker_id: "here" } }]);
  });

  it("does not exist in version 8", async () => {
    const device = await newDevice();
    const socket = await connect(device, { path: "/v8/events", query: { sync_marker: "here" } });
    await publishInOrder(device, [1]);
    await socket.first(1);

    expect(socket.frames.filter(isMarker)).toEqual([]);
  });
});

describe("the window of unacknowledged events", () => {
  it("holds 500 events, and moves on with each acknowledgement", async () => {
    const device = await newDevice();
    await events.fill(streams.device(device.userId, clientId), upTo(520));
    const socket = await connect(device);
    await socket.first(500);
    socket.send("ping");
    await socket.next((frame) => frame === "pong");
    expect(numbersOf(socket)).toEqual(upTo(500));

    ack(socket, 7);
    await socket.until(() => numbersOf(socket).includes(501));
    ack(socket, 1);
    await socket.until(() => numbersOf(socket).includes(502));
    ack(socket, 502);
    await socket.until(() => numbersOf(socket).includes(503));
    expect(numbersOf(socket)).toEqual(upTo(503));
    ack(socket, 18, { multiple: true });
    await socket.until(() => numbersOf(socket).includes(519));
    expect(numbersOf(socket)).toEqual(upTo(519));
    ack(socket, 519, { multiple: true });
    await socket.until(() => numbersOf(socket).includes(520));
    await untilUnacknowledged(device, [520]);
  });
});

describe("missed notifications", () => {
  const missed = { type: "notifications_missed" };

  it("are announced first and alone after an unread event has expired, until the device acknowledges the announcement", async () => {
    const device = await newDevice();
    await publishInOrder(device, [1]);
    await untilUnacknowledged(device, [1]);
    stack.advance(3601);
    await publishInOrder(device, [2]);
    await untilUnacknowledged(device, [1, 2]);

    for (let attempt = 0; attempt < 2; attempt++) {
      const socket = await connect(device);
      await socket.first(1);
      await publishInOrder(device, [3 + attempt]);
      socket.send("ping");
      await socket.first(2);
      expect(socket.frames).toEqual([missed, "pong"]);
      if (attempt === 0) await socket.close();
      else socket.send({ type: "ack", data: { delivery_tag: 1, multiple: false } });
      await socket.closed;
    }
    const socket = await connect(device);
    await socket.first(1);
    socket.send({ type: "ack_full_sync" });
    await socket.first(4);
    expect(socket.frames[0]).toEqual(missed);
    expect(numbersOf(socket)).toEqual([2, 3, 4]);
    ack(socket, 4, { multiple: true });
    await untilUnacknowledged(device, [1]);
    await socket.close();

    const later = await connect(device);
    await publishInOrder(device, [5]);
    await later.first(1);
    expect(later.frames).toHaveLength(1);
    expect(numbersOf(later)).toEqual([5]);
  });

  it("are not announced when the expired events were acknowledged or transient, or when there were none", async () => {
    const [one, other] = [await newDevice(), await newDevice()];
    const socket = await connect(one);
    await publishInOrder(one, [1]);
    await socket.first(1);
    await events.publish({ number: 2, to: [one], isTransient: true });
    await socket.first(2);
    ack(socket, 1);
    await eventually(async () => expect(await unacknowledged(one)).toEqual([2]));
    await socket.close();
    stack.advance(3601);

    for (const device of [one, other]) {
      const later = await connect(device);
      await publishInOrder(device, [3]);
      await later.first(1);
      expect(numbersOf(later)).toEqual([3]);
    }
  });

  it("are announced when an event is too large for a frame, and the event stays unacknowledged until the device knows", async () => {
    const device = await newDevice();
    const live = await connect(device);
    await events.publish({ number: 1, to: [device], sender: device.userId, padding: tooLarge });
    await live.first(1);
    await publishInOrder(device, [2]);
    await untilUnacknowledged(device, [1, 2]);
    expect(live.frames).toEqual([missed]);
    live.send({ type: "ack_full_sync" });
    await live.first(2);
    expect(numbersOf(live)).toEqual([2]);
    await untilUnacknowledged(device, [2]);
    await live.close();

    await events.publish({ number: 3, to: [device], sender: device.userId, padding: tooLarge });
    await publishInOrder(device, [4]);
    await untilUnacknowledged(device, [2, 3, 4]);
    const later = await connect(device);
    expect(await later.first(1)).toEqual([missed]);
    later.send({ type: "ack_full_sync" });
    await later.first(3);
    expect(numbersOf(later)).toEqual([2, 4]);
    expect(numbersListed(await publicApi("GET", "/notifications", device))).toEqual([1, 2, 3, 4]);
    ack(later, 4, { multiple: true });
    await untilUnacknowledged(device, []);
    await later.close();

    const last = await connect(device);
    await publishInOrder(device, [5]);
    await last.first(1);
    expect(numbersOf(last)).toEqual([5]);
  });

  it("are not announced for an event of 200 KB if a relay holds the socket, because the device gets it in order", async () => {
    const device = await newDevice();
    const live = await connect(device);
    await publishInOrder(device, [1]);
    await events.publish({ number: 2, to: [device], sender: device.userId, padding: 200 * 1024 });
    await publishInOrder(device, [3]);
    await live.first(2);
    if (socketMode() === "gateway") expect(live.frames[1]).toEqual(missed);
    else {
      await live.first(3);
      expect(numbersOf(live)).toEqual([1, 2, 3]);
    }
    await live.close();

    const later = await connect(device);
    if (socketMode() === "gateway") expect(await later.first(1)).toEqual([missed]);
    else {
      await later.first(3);
      expect(numbersOf(later)).toEqual([1, 2, 3]);
      ack(later, 3, { multiple: true });
      await untilUnacknowledged(device, []);
    }
  });

  it("are not announced for a passing event, however large it is", async () => {
    const device = await newDevice();
    const live = await connect(device);
    await publishInOrder(device, [1]);
    await live.first(1);
    await events.publish({
      number: 2,
      to: [device],
      sender: device.userId,
      padding: tooLarge,
      isTransient: true,
    });
    await publishInOrder(device, [3]);
    await live.first(2);

    expect(numbersOf(live)).toEqual([1, 3]);
  });

  it("are announced before everything else, even while events keep coming in", async () => {
    const device = await newDevice();
    await publishInOrder(device, [1]);
    await untilUnacknowledged(device, [1]);
    stack.advance(3601);
    let isPublishing = true;
    const publishing = (async () => {
      for (let number = 2; isPublishing; number++) {
        await publishInOrder(device, [number]);
        const stream = streams.device(device.userId, clientId);
        const hasArrived = async () => expect(await events.countIn(stream)).toBe(number);
        await eventually(hasArrived);
      }
    })();
    for (let attempt = 0; attempt < 10; attempt++) {
      const socket = await connect(device);
      await socket.first(1);
      expect(socket.frames).toEqual([missed]);
      await socket.close();
    }
    isPublishing = false;
    await publishing;
  });
});
