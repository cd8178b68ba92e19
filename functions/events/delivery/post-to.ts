import type { Entry, NotificationView } from "#shared/events/notification-store.ts";
import { eventFrame, notificationFrame } from "#shared/events/sockets/frames.ts";
import { type DeviceQueue, handshakeMilliseconds, type Socket } from "#shared/events/sockets/socket.ts";
import { maxFrameBytes } from "#shared/events/sockets/socket-poster.ts";
import { parseExactJson } from "#shared/platform/exact-json.ts";
import type { Deps } from "./deps.ts";

/** A notification on its way to the sockets of a recipient. */
export interface Post {
  readonly id: string;
  readonly entry: Entry;
  /** Its payload, when the entry only refers to it and it is known all the same. */
  readonly text?: string;
  readonly isTransient: boolean;
  /** The connection that is left out. */
  readonly origin?: { readonly connectionId: string };
}

/** A post with the events that it shows. */
interface Shown extends Post {
  readonly view: NotificationView;
}

/** Post notifications to the open sockets of a user, and add them to the queues of devices, in order. */
export async function postTo(deps: Deps, userId: string, posts: readonly Post[]): Promise<void> {
  const { clock, deviceQueues, sockets } = deps;
  const { sockets: open, queues } = await sockets.ofUser(userId);
  if (open.length === 0 && queues.length === 0) return;
  const shown = await withViews(deps, posts);

  /** @returns whether the socket can be used further; a frame that is too large for it is found in the log */
  async function post(socket: Socket, frame: string): Promise<boolean> {
    const outcome = await deps.poster.post(socket.socketId, frame);
    // While its `$connect` has not been answered, a socket looks as if it were gone.
    const isOpening = clock() - socket.openedAt < handshakeMilliseconds;
    return (outcome === "gone" && isOpening) || deviceQueues.afterPost(socket, outcome);
  }

  async function postAll(socket: Socket): Promise<void> {
    const { clientId, connectionId } = socket;
    for (const { view, entry, isTransient, origin } of shown) {
      const isOrigin = origin !== undefined && origin.connectionId === connectionId;
      if (isOrigin || (clientId !== undefined && !isFor(entry, clientId))) continue;
      if (!(await post(socket, notificationFrame(view, isTransient)))) return;
    }
  }

  /** A `/events` socket without a device receives what goes to all devices, numbered from when it opened. */
  async function postNumbered(socket: Socket): Promise<void> {
    for (const { view, entry } of shown) {
      if (entry.clientIds !== undefined) continue;
      const deliveryTag = await sockets.countDelivery(socket);
      if (deliveryTag === undefined || !(await post(socket, eventFrame(view, deliveryTag)))) return;
    }
  }

  async function enqueueAll({ clientId, activeSocketId }: DeviceQueue): Promise<void> {
    let active = open.find(({ socketId }) => socketId === activeSocketId);
    for (const { view, entry, isTransient } of shown) {
      if (!isFor(entry, clientId) || (isTransient && activeSocketId === undefined)) continue;
      const isTooLarge = Buffer.byteLength(eventFrame(view, Number.MAX_SAFE_INTEGER)) > maxFrameBytes;
      if (!isTooLarge) {
        active = await deviceQueues.enqueue(
          { userId, clientId, active },
          { entry: isTransient ? { ...entry, onlySocketId: activeSocketId } : entry, payload: view.payload },
        );
      } else if (!isTransient) await deviceQueues.noteMissed(userId, clientId);
    }
  }

  await allDone([
    ...open.filter(({ endpoint }) => endpoint === "await").map(postAll),
    ...open
      .filter(({ endpoint, clientId }) => endpoint === "events" && clientId === undefined)
      .map(postNumbered),
    ...queues.map(enqueueAll),
  ]);
}

const isFor = ({ clientIds }: Entry, clientId: string) =>
  clientIds === undefined || clientIds.includes(clientId);

async function withViews({ notifications }: Deps, posts: readonly Post[]): Promise<Shown[]> {
  const unread = posts.filter(({ entry, text }) => entry.hasSharedPayload && text === undefined);
  const read = await notifications.withPayloads(unread.map(({ id, entry }) => ({ ...entry, id })));
  const byId = new Map(read.map((view) => [view.id, view]));
  return posts.flatMap((post) => {
    const text = post.text ?? post.entry.payload;
    const view =
      text === undefined ? byId.get(post.id) : { id: post.id, payload: parseExactJson(text) as unknown[] };
    return view === undefined ? [] : [{ ...post, view }];
  });
}

/** Rejects like `Promise.all`, but only once all have settled: a running task would resume in a later invocation. */
async function allDone(tasks: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(tasks);
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}
