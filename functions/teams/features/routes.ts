import { routes as byOperator } from "./by-operator/routes.ts";
import { routes as ofTeam } from "./of-team/routes.ts";
import { routes as ofUser } from "./of-user/routes.ts";

export const routes = { ...ofTeam, ...ofUser, ...byOperator };
