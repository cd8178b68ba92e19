import { hideOtherMethods } from "#shared/platform/http/route.ts";
import { routes as byOperator } from "./by-operator/routes.ts";
import { routes as ofTeam } from "./of-team/routes.ts";
import { routes as ofUser } from "./of-user/routes.ts";
import { routes as pages } from "./pages/routes.ts";

export const routes = hideOtherMethods({ ...ofTeam, ...ofUser, ...byOperator, ...pages });
