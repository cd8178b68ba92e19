import { parseExactJson } from "#shared/platform/exact-json.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { clearProperties } from "./clear-properties.ts";
import { deleteProperty } from "./delete-property.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";
import { setProperty } from "./set-property.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { properties } = deps;
  return {
    "set-property": async ({ actor, params, body }) => {
      await setProperty(deps, actor, { key: params.key, text: body });
      return {};
    },

    "get-property": async ({ actor, params }) => {
      const json = await properties.get(actor.userId, params.key);
      return json === undefined ? { status: 404 } : { status: 200, body: parseExactJson(json) };
    },

    "delete-property": async ({ actor, params }) => {
      await deleteProperty(deps, actor, params.key);
      return {};
    },

    "list-property-keys": async ({ actor }) => {
      const index = await properties.index(actor.userId);
      return { body: index.properties.map(({ key }) => key) };
    },

    "clear-properties": async ({ actor }) => {
      await clearProperties(deps, actor);
      return {};
    },

    "list-properties": async ({ actor }) => {
      const values = await properties.all(actor.userId);
      return { body: Object.fromEntries(values.map(([key, json]) => [key, parseExactJson(json)])) };
    },
  };
}
