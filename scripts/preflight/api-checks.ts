import { families } from "#functions/families.ts";
import { type Audience, gatewayRoutes } from "#lib/gateway-routes.ts";
import { requestNeedsOf, type Stage } from "#lib/stage.ts";
import type { Clients } from "./clients.ts";
import { type Check, missing, ok, warning } from "./finding.ts";
import { readJson } from "./read-json.ts";

/** Quotas of API Gateway for an account. */
export const apiChecks = (
  stage: Stage,
  region: string,
  clients: Clients,
  endpoint: string | undefined,
): Check[] => [requests(stage, region, clients, endpoint), routes("public"), routes("internal")];

/** 10,000 a second in most regions, 2,500 in others: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const requests = (stage: Stage, region: string, { sts }: Clients, endpoint: string | undefined): Check => ({
  name: "API Gateway requests",
  needs: "apigateway:GET on /account",
  async run() {
    const answer = await readJson("/account", { service: "apigateway", region, sts, endpoint });
    const quota = Number(Object(answer.throttleSettings).rateLimit ?? 0);
    const { apis, pings, posts, total } = requestNeedsOf(stage);
    const sum = `${apis} to APIs, ${pings} pings, ${posts} posts to sockets`;
    if (quota >= total) return ok(`${quota} a second; ${total} needed (${sum})`);
    return missing(
      `${quota} a second; ${total} needed (${sum})`,
      `Service Quotas › API Gateway › Throttle rate (L-8A5B8E43): ${total}; or lower throttle or sockets.pings`,
    );
  },
});

/**
 * Default quota of routes per API: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const mostRoutes = 300;
/** Below this number, new operations could exceed the quota before AWS has raised it. */
const manyRoutes = 290;

const routes = (audience: Audience): Check => ({
  name: `routes of the ${audience} API`,
  needs: "nothing",
  run: async () => routesFinding(gatewayRoutes(families, audience).length),
});

export const routesFinding = (count: number) =>
  count < manyRoutes
    ? ok(`${count}; API Gateway allows ${mostRoutes}`)
    : warning(
        `${count}; API Gateway allows ${mostRoutes}`,
        "Service Quotas › API Gateway › Routes per API (L-65B5C802): request more before the next operations",
      );
