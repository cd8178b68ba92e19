import { contentOf, sizeOf } from "#shared/events/notification.ts";
import type { Entry, NotificationView } from "#shared/events/notification-store.ts";
import { isInUse } from "#shared/events/push/is-in-use.ts";
import type { NativePush, PushPriority } from "#shared/events/push/native-push.ts";
import { eventFrame, notificationFrame } from "#shared/events/sockets/frames.ts";
import { maxGatewayFrameBytes } from "#shared/events/sockets/gateway-poster.ts";
import { type DeviceQueue, handshakeMilliseconds, type Socket } from "#shared/events/sockets/socket.ts";
import type { Reach } from "#shared/events/sockets/socket-store.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { parseExactJson } from "#shared/platform/exact-json.ts";
import { onBehalfOf } from "#shared/platform/request-id.ts";
import type { Deps } from "./deps.ts";
import type { SharedPayloads } from "./shared-payloads.ts";

/** Notifications of one recipient read and posted together. */
const maxSliceBytes = 1024 * 1024;

/** A notification on its way to the sockets of a recipient. */
export interface Post {
  readonly id: string;
  readonly entry: Entry;
  /** Its events, if they need not be read. */
  readonly text?: string;
  readonly isTransient: boolean;
  /** The connection to leave out. */
  readonly origin?: { readonly connectionId: string };
  /** How urgently to wake devices that no socket reaches; absent: not at all. */
  readonly push?: PushPriority;
  /** Ids of the requests that have caused its events. */
  readonly requestIds: readonly string[];
}

/** A post with the events that it shows, unless they are too large for any frame. */
interface Shown extends Post {
  readonly view: NotificationView | undefined;
}

/**
 * Post notifications to the open sockets of a user, and add them to the queues of devices, in order.
 * @param reach the user's sockets, queues and push tokens; undefined if they have not been read
 * @returns the devices to wake, because no socket has reached them
 */
export async function postToUser(
  deps: Deps,
  { userId, reach, payloads }: { userId: string; reach: Reach | undefined; payloads: SharedPayloads },
  posts: readonly Post[],
): Promise<NativePush[]> {
  const { clock, deviceQueues, log, sockets } = deps;
  const { sockets: open, queues, pushTokens } = reach ?? (await sockets.ofUser(userId));
  const reached = new Reached();

  // Until its `$connect` is answered, a socket looks as if it were gone.
  const isOpening = ({ openedAt }: Socket) => clock() - openedAt < handshakeMilliseconds;

  /** @returns whether the socket is still usable */
  async function post(socket: Socket, shown: Shown, frame: string): Promise<boolean> {
    const { socketId, clientId } = socket;
    const { id, requestIds } = shown;
    const outcome = await onBehalfOf(requestIds[0], () => deps.poster.post(socketId, frame));
    log.debug("event-posted", { requestIds, notificationId: id, userId, socketId, outcome });
    if (outcome === "posted") reached.note(id, clientId);
    if (outcome === "too-large") return letFetch(socket, shown);
    return (outcome === "gone" && isOpening(socket)) || deviceQueues.afterPost(socket, outcome);
  }

  /**
   * Close a socket that cannot send a notification, so that its client reconnects and reads the log; notifications that
   * no log has are dropped.
   * @returns whether the socket is still usable
   */
  async function letFetch(socket: Socket, { id, isTransient, requestIds }: Post): Promise<boolean> {
    if (isTransient) return true;
    const { socketId } = socket;
    log.debug("socket-closed-to-fetch", { requestIds, notificationId: id, userId, socketId });
    // A client reads its log when its socket is open.
    if ((await deps.poster.close(socketId)) === "gone" && isOpening(socket)) return true;
    await deviceQueues.retire(socket);
    return false;
  }

  function postAll(socket: Socket): Target {
    const { clientId, connectionId } = socket;
    let isUsable = true;
    return async (shown) => {
      const { view, entry, isTransient, origin } = shown;
      const isOrigin = origin !== undefined && origin.connectionId === connectionId;
      if (isOrigin || (clientId !== undefined && !isFor(entry, clientId))) return;
      if (!isUsable) return;
      isUsable =
        view === undefined
          ? await letFetch(socket, shown)
          : await post(socket, shown, notificationFrame(view, isTransient));
    };
  }

  /** A `/events` socket without a device receives what goes to all devices, numbered from its opening. */
  function postNumbered(socket: Socket): Target {
    let isUsable = true;
    return async (shown) => {
      const { view, entry } = shown;
      if (!isUsable || entry.clientIds !== undefined) return;
      if (view === undefined) {
        isUsable = await letFetch(socket, shown);
        return;
      }
      const deliveryTag = await sockets.countDelivery(socket);
      if (deliveryTag === undefined) {
        isUsable = false;
        // It has closed since it was read, or is still listed by mistake.
        await sockets.remove(socket);
      } else isUsable = await post(socket, shown, eventFrame(view, deliveryTag));
    };
  }

  function enqueueAll({ clientId, activeSocketId }: DeviceQueue): Target {
    let active = open.find(({ socketId }) => socketId === activeSocketId);
    return async ({ id, view, entry, isTransient, requestIds }) => {
      if (!isFor(entry, clientId)) return;
      if (isTransient && (activeSocketId === undefined || view === undefined)) return;
      active = await deviceQueues.enqueue(
        { userId, clientId, active },
        {
          entry: isTransient ? { ...entry, onlySocketId: activeSocketId } : entry,
          payload: view !== undefined && fitsAnySocket(view) ? view.payload : undefined,
        },
      );
      const { socketId } = active ?? {};
      log.debug("event-queued", { requestIds, notificationId: id, userId, clientId, socketId });
      if (await isConnected({ clientId, activeSocketId }, active)) reached.note(id, clientId);
    };
  }

  /** Whether a device's socket still owned the device's queue after an event was added. Looked up only if it matters. */
  async function isConnected(
    { clientId, activeSocketId }: Pick<DeviceQueue, "clientId" | "activeSocketId">,
    active: Socket | undefined,
  ): Promise<boolean> {
    if (active !== undefined) return true;
    const isWoken = pushTokens.some((token) => token.clientId === clientId);
    if (activeSocketId === undefined || !isWoken) return false;
    return (await sockets.getQueue(userId, clientId))?.activeSocketId !== undefined;
  }

  const targets = [
    ...open.filter(({ endpoint }) => endpoint === "await").map(postAll),
    ...open
      .filter(({ endpoint, clientId }) => endpoint === "events" && clientId === undefined)
      .map(postNumbered),
    ...queues.map(enqueueAll),
  ];
  for (const slice of targets.length === 0 ? [] : bySize(posts, deps.poster.readableBytes)) {
    const shown = await withViews(deps, slice, payloads);
    await allDone(
      targets.map(async (target) => {
        for (const one of shown) await target(one);
      }),
    );
  }
  return posts.flatMap(({ id, entry, push, requestIds: [requestId] }) =>
    push === undefined
      ? []
      : pushTokens
          .filter(({ clientId }) => isFor(entry, clientId) && !reached.has(id, clientId))
          .flatMap(({ transport, endpointArn }) =>
            endpointArn === undefined || !isInUse(deps.settings, endpointArn)
              ? []
              : [{ userId, notificationId: id, transport, endpointArn, priority: push, requestId }],
          ),
  );
}

/** The devices that a notification has reached. */
class Reached {
  readonly #found = new Set<string>();

  note(notificationId: string, clientId: string | undefined): void {
    if (clientId !== undefined) this.#found.add(`${notificationId} ${clientId}`);
  }

  has(notificationId: string, clientId: string): boolean {
    return this.#found.has(`${notificationId} ${clientId}`);
  }
}

/** A destination of a recipient's notifications, in order. */
type Target = (shown: Shown) => Promise<void>;

const isFor = ({ clientIds }: Entry, clientId: string) =>
  clientIds === undefined || clientIds.includes(clientId);

/** Whether API Gateway, whose frames are the smallest, can send an event. */
const fitsAnySocket = (view: NotificationView) =>
  Buffer.byteLength(eventFrame(view, Number.MAX_SAFE_INTEGER)) <= maxGatewayFrameBytes;

/** Divides posts into parts that fit into memory. */
function bySize(posts: readonly Post[], readableBytes: number): Post[][] {
  const slices: Post[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const post of posts) {
    const size = Math.min(sizeOf(post.entry), readableBytes);
    if (bytes + size > maxSliceBytes) {
      slices.push([]);
      bytes = 0;
    }
    slices.at(-1)?.push(post);
    bytes += size;
  }
  return slices;
}

/** Reads the events of posts; leaves out posts with an event that no longer exists. */
async function withViews(
  { notifications, poster }: Deps,
  posts: readonly Post[],
  payloads: SharedPayloads,
): Promise<Shown[]> {
  const isReadable = ({ entry }: Post) => sizeOf(entry) <= poster.readableBytes;
  const unread = posts.filter((post) => post.text === undefined && isReadable(post));
  const read = await notifications.withPayloads(
    unread.map(({ id, entry }) => ({ ...contentOf(entry), id })),
    (ids) => payloads.read(ids),
  );
  const byId = new Map(read.map((view) => [view.id, view]));
  return posts.flatMap((post): Shown[] => {
    const { id, text } = post;
    if (!isReadable(post)) return [{ ...post, view: undefined }];
    const view =
      text === undefined
        ? byId.get(id)
        : { id, payload: parseExactJson(text) as NotificationView["payload"] };
    return view === undefined ? [] : [{ ...post, view }];
  });
}
