import { recordActivity } from "#shared/devices/record-activity.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import { findNotification, lastNotification } from "./find-notification.ts";
import { listNotifications } from "./list-notifications.ts";
import { listTeamNotifications } from "./list-team-notifications.ts";
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
