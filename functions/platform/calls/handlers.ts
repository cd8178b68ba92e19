import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import { iceServersFor } from "./ice-servers.ts";
import type { routes } from "./routes.ts";
import { sftServersFor } from "./sft-servers.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const ttl = deps.settings.turn.configTTL;
  return {
    "get-calls-config-v2": async ({ actor, query }) => {
      const [iceServers, { chosen, all }] = await Promise.all([
        iceServersFor(deps, actor.userId, { limit: query.limit }),
        sftServersFor(deps, actor.userId),
      ]);
      return {
        body: {
          ice_servers: iceServers,
          ttl,
          sft_servers: chosen,
          sft_servers_all: all,
          is_federating: false,
        },
      };
    },

    "get-calls-config": async ({ actor }) => ({
      body: { ice_servers: await iceServersFor(deps, actor.userId, { isLegacy: true }), ttl },
    }),
  };
}
