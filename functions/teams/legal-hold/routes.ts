import { hideOtherMethods } from "#shared/platform/http/route.ts";
import { routes as members } from "./members/routes.ts";
import { routes as policy } from "./policy/routes.ts";
import { routes as service } from "./service/routes.ts";
import { routes as whitelist } from "./whitelist/routes.ts";

export const routes = hideOtherMethods({ ...service, ...members, ...policy, ...whitelist });
