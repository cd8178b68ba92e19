import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import type { Route } from "#shared/platform/http/route.ts";
import { existsIn } from "#shared/platform/http/versions.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { sampleOf, samplePath, sampleQuery } from "../../support/sample.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { botsToken, providersToken } from "../../support/tokens.ts";
import { newUser } from "../../support/users.ts";

/** Operations that work even where a second factor is required. */
const unguarded = ["bot-get-self", "get-whitelisted-services-by-team-id"];

/** Every public operation on providers, services and bots. */
const operations: [string, Route][] = families
  .filter(({ domain }) => domain === "services")
  .flatMap(({ routes }) => Object.entries(routes))
  .filter(([id, { auth }]) => auth !== "internal" && !unguarded.includes(id));

/** Queries of operations that require one. */
const queries: Readonly<Record<string, string>> = {
  "bot-list-users": `?ids=${randomUUID()}`,
  "get-services": "?start=a",
};

/** The smallest valid body. */
function bodyOf({ body, bodyFormat = "json", method }: Route) {
  if (body === undefined || method === "GET") return {};
  if (bodyFormat === "form") {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    // A form whose fields are all left empty still names them.
    const fields = { email: "", ...(sampleOf(body) as Record<string, string>) };
    return { headers, body: new URLSearchParams(fields).toString() };
  }
  return { json: sampleOf(body) };
}

describe.concurrent("where a second factor is required", () => {
  it("of everybody, all operations of providers, services and bots are refused before any other check (rule 30)", async () => {
    const stack = await stackWith({
      sndFactorPasswordChallenge: { defaults: { status: "enabled", lockStatus: "unlocked" } },
    });
    const tokens: Partial<Record<Route["auth"], string>> = {
      user: (await newUser({}, stack)).token,
      provider: await providersToken(stack),
      bot: await botsToken(stack),
    };
    const answers = await Promise.all(
      operations.map(async ([id, route]) => {
        const version = Math.min(route.until ?? 9, 9);
        expect(existsIn(route, version)).toBe(true);
        const prefix = route.isForBrowsersOnly ? "" : `/v${version}`;
        const path = prefix + samplePath(route) + (queries[id] ?? sampleQuery(route));
        const request = { token: tokens[route.auth], ...bodyOf(route) };
        return [id, outcome(await stack.publicApi(route.method, path, request))];
      }),
    );
    expect(Object.fromEntries(answers)).toEqual(
      Object.fromEntries(operations.map(([id]) => [id, "403 access-denied"])),
    );
  });

  it("of a team, its members see services, but neither admit them nor add bots (rule 30)", async () => {
    const team = await newTeam();
    const feature = `/i/teams/${team.id}/features/sndFactorPasswordChallenge`;
    await internalApi("PATCH", feature, { json: { status: "enabled", lockStatus: "unlocked" } });
    const { token } = team.owner;
    const [provider, service] = [randomUUID(), randomUUID()];
    const bot = await api("POST", `/bot/conversations/${randomUUID()}`, {
      token,
      json: { provider, service },
    });
    expect(outcome(bot)).toBe("403 access-denied");
    const whitelist = `/teams/${team.id}/services/whitelist`;
    const json = { provider, id: service, whitelisted: true };
    expect(outcome(await api("POST", whitelist, { token, json }))).toBe("403 access-denied");
    expect(outcome(await api("GET", "/services?start=a", { token }))).toBe("200");
    expect(outcome(await api("GET", `/providers/${provider}/services`, { token }))).toBe("200");
    expect(outcome(await api("GET", `/providers/${provider}`, { token }))).toBe("404 not-found");
  });
});
