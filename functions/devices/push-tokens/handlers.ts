import { toPushTokenView } from "#shared/events/push/push-token-view.ts";
import { removePushTokens } from "#shared/events/push/remove-push-tokens.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import { registerPushToken } from "./register-push-token.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  async function list(userId: string) {
    const { tokens } = await deps.pushTokens.get(userId);
    return { body: { tokens: tokens.map(toPushTokenView) } };
  }

  return {
    "register-push-token": async ({ actor, body }) => {
      const token = await registerPushToken(deps, actor.userId, body);
      return { headers: { location: token.token }, body: toPushTokenView(token) };
    },

    "get-push-tokens": ({ actor }) => list(actor.userId),

    "delete-push-token": async ({ actor, params }) => {
      await removePushToken(deps, actor.userId, params.pid);
      return {};
    },

    "i-get-push-tokens": ({ params }) => list(params.uid),
  };
}

/**
 * Remove a push token of a user.
 *
 * @throws ApiError `push-token-not-found`
 * @see operation `delete-push-token`
 */
async function removePushToken(deps: Deps, userId: string, token: string): Promise<void> {
  const removed = await removePushTokens(deps, userId, (known) => known.token === token);
  if (removed === 0) throw new ApiError("push-token-not-found");
}
