import { recordActivity } from "#shared/devices/record-activity.ts";
import {
  isNotificationId,
  millisecondsOf,
  type Notification,
  sequenceNumberOf,
  streams,
} from "#shared/events/notification.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import { isExpired, isVisible, keptEntries, type NotificationView, readPage, toViews } from "./read-page.ts";
import type { routes } from "./routes.ts";

/** Last version that answers an unknown `since` with a list. */
const lastForgivingVersion = 2;

/** The routes exist for the gateway and the API document: only a request that is not an upgrade gets here. */
const upgradeRequired = { status: 426, headers: { connection: "upgrade", upgrade: "websocket" } } as const;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-notifications": async ({ actor, query, version }) => {
      const { client, since, size } = query;
      const noted = recordActivity(deps, actor.userId, client);
      const { notifications, hasMore, isSinceUnknown } = await listNotifications(deps, {
        userId: actor.userId,
        clientId: client,
        since,
        size,
        forgivesUnknownSince: version <= lastForgivingVersion,
      }).finally(() => noted);
      const time = new Date(deps.clock()).toISOString();
      return { status: isSinceUnknown ? 404 : 200, body: { notifications, has_more: hasMore, time } };
    },

    "get-last-notification": async ({ actor, query }) => {
      const noted = recordActivity(deps, actor.userId, query.client);
      return { body: await lastNotification(deps, actor.userId, query.client).finally(() => noted) };
    },

    "get-notification-by-id": async ({ actor, params, query }) => ({
      body: await findNotification(deps, actor.userId, params.id, query.client),
    }),

    "get-team-notifications": async ({ actor, query }) => {
      const { notifications, hasMore } = await listTeamNotifications(deps, actor.userId, query);
      return { body: { notifications, has_more: hasMore } };
    },

    "await-notifications": () => upgradeRequired,
    "consume-events": () => upgradeRequired,

    "i-create-consumable-notifications": async ({ params }) => {
      await deps.sockets.createQueue(params.uid, params.cid);
      return {};
    },
  };
}

/** Notifications per read while looking for one that the device may see. */
const pageSize = 10;

/** Find the newest notification that a device may see. @throws ApiError `not-found` */
async function lastNotification(deps: Deps, userId: string, clientId?: string): Promise<NotificationView> {
  for await (const entry of deps.notifications.backwards(streams.user(userId), pageSize)) {
    if (isExpired(entry, deps)) break;
    if (isVisible(entry, clientId)) return toView(deps, entry);
  }
  throw new ApiError("not-found");
}

/**
 * Find a notification by its id.
 * @throws ApiError `not-found` for an unknown or expired notification, and for one that the device may not see
 */
async function findNotification(
  deps: Deps,
  userId: string,
  id: string,
  clientId?: string,
): Promise<NotificationView> {
  if (!isNotificationId(id)) throw new ApiError("not-found");
  const entry = await deps.notifications.at(streams.user(userId), sequenceNumberOf(id));
  if (entry?.id !== id.toLowerCase() || isExpired(entry, deps) || !isVisible(entry, clientId)) {
    throw new ApiError("not-found");
  }
  return toView(deps, entry);
}

async function toView(deps: Deps, entry: Notification): Promise<NotificationView> {
  const [view] = await toViews(deps, [entry]);
  if (view === undefined) throw new ApiError("not-found");
  return view;
}

interface Command {
  readonly userId: string;
  readonly clientId?: string;
  readonly since?: string;
  readonly size: number;
  readonly forgivesUnknownSince: boolean;
}

interface Page {
  readonly notifications: NotificationView[];
  readonly hasMore: boolean;
  /** Whether the notification named by `since` is unknown, so that the list starts elsewhere. */
  readonly isSinceUnknown: boolean;
}

/**
 * List the notifications of a user in order, after the one named by `since`.
 *
 * @param command.forgivesUnknownSince whether a malformed or unknown `since` lists what may be newer instead of failing
 * @throws ApiError `bad-request` for a malformed `since`, `not-found` for an unknown one
 * @see operation `get-notifications`
 */
async function listNotifications(deps: Deps, command: Command): Promise<Page> {
  const { clientId, size } = command;
  const { entries, isSinceUnknown } = await startAfter(deps, command);
  return { ...(await readPage(deps, visible(entries), { size })), isSinceUnknown };

  async function* visible(all: AsyncIterable<Notification>) {
    for await (const entry of all) if (!isExpired(entry, deps) && isVisible(entry, clientId)) yield entry;
  }
}

/** Where the list starts, and whether `since` is unknown. Reads as many entries at a time as one page may need. */
async function startAfter(
  deps: Deps,
  { userId, since, size, forgivesUnknownSince }: Command,
): Promise<{ entries: AsyncGenerator<Notification>; isSinceUnknown: boolean }> {
  const stream = streams.user(userId);
  // The notification named by `since`, the page, and one more to know whether another page follows.
  const pageSize = size + 2;
  if (since === undefined) return { entries: keptEntries(deps, stream, { pageSize }), isSinceUnknown: false };
  if (!isNotificationId(since)) {
    if (!forgivesUnknownSince) {
      throw new ApiError("bad-request", { message: "query.since: not a notification id" });
    }
    return { entries: keptEntries(deps, stream, { pageSize }), isSinceUnknown: true };
  }
  const entries = deps.notifications.after(stream, sequenceNumberOf(since) - 1, pageSize);
  const first = (await entries.next()).value;
  if (first?.id === since.toLowerCase() && !isExpired(first, deps)) return { entries, isSinceUnknown: false };
  if (!forgivesUnknownSince) throw new ApiError("not-found");
  const newer = keptEntries(deps, stream, { newerThan: millisecondsOf(since), pageSize });
  return { entries: newer, isSinceUnknown: true };
}

/**
 * List the notifications that members of large teams read instead of events about each other. The notification named by
 * `since` is listed again if it still exists, in addition to `size`.
 *
 * @throws ApiError `invalid-notification-id`, `no-team`
 * @see operation `get-team-notifications`
 */
async function listTeamNotifications(
  deps: Deps,
  userId: string,
  { since, size }: { since?: string; size: number },
): Promise<{ notifications: NotificationView[]; hasMore: boolean }> {
  if (since !== undefined && !isNotificationId(since)) throw new ApiError("invalid-notification-id");
  const account = await deps.accounts.get(userId);
  if (account?.teamId === undefined) throw new ApiError("no-team");

  const sinceId = since?.toLowerCase();
  const entries = startAt(deps, streams.team(account.teamId), { since: sinceId, pageSize: size + 2 });
  return readPage(deps, live(entries), { size, extraId: sinceId });

  async function* live(all: AsyncIterable<Notification>) {
    for await (const entry of all) if (!isExpired(entry, deps)) yield entry;
  }
}

/** Starts at the notification named by `since`; if that is gone, at the first one with a later timestamp. */
async function* startAt(
  deps: Deps,
  stream: string,
  { since, pageSize }: { since: string | undefined; pageSize: number },
) {
  if (since === undefined) return yield* keptEntries(deps, stream, { pageSize });
  const entries = deps.notifications.after(stream, sequenceNumberOf(since) - 1, pageSize);
  const { value: first } = await entries.next();
  if (first?.id === since) {
    yield first;
    return yield* entries;
  }
  yield* keptEntries(deps, stream, { newerThan: millisecondsOf(since), pageSize });
}
