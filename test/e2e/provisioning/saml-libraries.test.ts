import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { browserTest, follow, hasBrowser, inBrowser } from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";
import { escapeXml, finalizeLogin, initiateLogin, sharedKey, verdictOf } from "../../support/saml.ts";
import { type LibraryProvider, libraries } from "../../support/saml-libraries.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newTeam, type Team } from "../../support/teams.ts";

interface Registered {
  readonly id: string;
  readonly teamId: string;
  readonly apiVersion: "v1" | "v2";
}

async function ssoTeam(): Promise<Team> {
  const team = await newTeam();
  await internalApi("PUT", `/i/teams/${team.id}/features/sso`, { json: { status: "enabled" } });
  return team;
}

/** Register a provider as an admin does. */
async function registerBy(
  { id: teamId, owner }: Team,
  { metadata }: LibraryProvider,
  query: Record<string, string> = {},
): Promise<Registered> {
  const answer = await api(
    "POST",
    `/identity-providers?${new URLSearchParams({ api_version: "v2", ...query })}`,
    { token: owner.token, body: metadata, headers: { "content-type": "application/xml" } },
  );
  expect(outcome(answer)).toBe("201");
  return { id: answer.body.id, teamId, apiVersion: query.api_version === "v1" ? "v1" : "v2" };
}

async function serviceMetadata({ teamId, apiVersion }: Registered): Promise<string> {
  const { body } = await api("GET", apiVersion === "v1" ? "/sso/metadata" : `/sso/metadata/${teamId}`);
  return body;
}

async function logIn(registered: Registered, provider: LibraryProvider, subject: string) {
  const { samlRequest } = await initiateLogin(registered);
  const response = await provider.respond(samlRequest, subject, await serviceMetadata(registered));
  return finalizeLogin(registered, response);
}

/** The user whose session a login has started. */
async function userOf(answer: Awaited<ReturnType<typeof logIn>>): Promise<{ id: string; name: string }> {
  expect(verdictOf(answer)).toBe("success");
  const { body } = await api("POST", "/access", { cookie: answer.cookie });
  const self = await api("GET", "/self", { token: body.access_token });
  return self.body;
}

describe.for(Object.entries(libraries))("an identity provider made with %s", ([, create]) => {
  it("logs in new and known users, is replaced by another, and is removed with its users", async () => {
    const key = await sharedKey("usual");
    const team = await ssoTeam();
    const first = create({ key });
    const registered = await registerBy(team, first);

    const ada = await userOf(await logIn(registered, first, "Ada"));
    expect(ada).toMatchObject({ name: "Ada", team: team.id });
    expect((await userOf(await logIn(registered, first, "Ada"))).id).toBe(ada.id);
    const grace = await userOf(await logIn(registered, first, "Grace"));
    expect(grace.id).not.toBe(ada.id);

    const second = create({ key: await sharedKey("attacker") });
    const replacement = await registerBy(team, second, { replaces: registered.id });
    expect((await userOf(await logIn(registered, first, "Grace"))).id).toBe(grace.id);
    expect(verdictOf(await logIn(registered, first, "Edsger"))).toBe("cannont-provision-on-replaced-idp");
    expect((await userOf(await logIn(replacement, second, "Ada"))).id).toBe(ada.id);
    expect(verdictOf(await logIn(registered, first, "Ada"))).toBe("cannont-provision-on-replaced-idp");

    const path = `/identity-providers/${replacement.id}`;
    expect(outcome(await api("DELETE", path, team.owner))).toBe("412 idp-has-bound-users");
    expect(outcome(await api("DELETE", `${path}?purge=true`, team.owner))).toBe("204");
    expect((await api("HEAD", `/sso/initiate-login/${replacement.id}`)).status).toBe(404);
    const { body } = await api("GET", `/teams/${team.id}/members`, team.owner);
    expect(body.members.map(({ user }: { user: string }) => user).sort()).toEqual(
      [team.owner.id, grace.id].sort(),
    );
  });

  it("logs in to the entity that all teams share", async () => {
    const provider = create({ key: await sharedKey("usual") });
    const registered = await registerBy(await ssoTeam(), provider, { api_version: "v1" });
    expect(await userOf(await logIn(registered, provider, "Ada"))).toHaveProperty("name", "Ada");
  });
});

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/**
 * Start an identity provider with pages, which lets everybody in as Ada and sends them back with a self-submitting
 * form.
 */
async function startProvider() {
  const key = await sharedKey("usual");
  const waiting = Promise.withResolvers<Registered>();
  const server = createServer({ key: key.privateKey, cert: key.certificate }, async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(404).end();
      return;
    }
    const registered = await waiting.promise;
    const samlRequest = new URLSearchParams(await text(request)).get("SAMLRequest") ?? "";
    const samlResponse = await provider.respond(samlRequest, "Ada", await serviceMetadata(registered));
    const address = `${sharedStack().publicUrl}/sso/finalize-login/${registered.teamId}`;
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html>
<title>Identity provider</title>
<body onload="document.forms[0].submit()">
<form method="post" action="${escapeXml(address)}">
<input type="hidden" name="SAMLResponse" value="${escapeXml(samlResponse)}">
</form>`);
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = libraries.samlify({ key, origin });
  return { provider, origin, serve: waiting.resolve };
}

/** The page of an app that opens the login in a window, and shows what this window tells it. */
const appPage = (loginUrl: string) => `<!doctype html>
<title>App</title>
<button onclick="window.open('${loginUrl}')">Log in</button>
<script>addEventListener("message", ({ data, origin }) => { document.title = JSON.stringify([data, origin]); });</script>`;

const messageIn = async (page: Page) => {
  await page.waitForFunction('document.title !== "App"');
  return JSON.parse(await page.title());
};

describe.skipIf(!hasBrowser)("in a browser", inBrowser, () => {
  browserTest("a login needs only one click, and tells the app", async ({ newTab, newSite }) => {
    const { provider, origin, serve } = await startProvider();
    const registered = await registerBy(await ssoTeam(), provider);
    serve(registered);
    const { publicUrl } = sharedStack();
    const loginUrl = `${publicUrl}/sso/initiate-login/${registered.id}`;
    const site = await newSite(() => ({ body: appPage(loginUrl) }));

    const page = await newTab({ javaScriptEnabled: true, ignoreHTTPSErrors: true });
    await page.goto(site.origin);
    const [window] = await Promise.all([page.waitForEvent("popup"), page.getByText("Log in").click()]);
    expect(await messageIn(page)).toEqual([{ type: "AUTH_SUCCESS" }, publicUrl]);
    expect(await window.title()).toBe("svc:sso:success");
    const [cookie] = await page.context().cookies(`${publicUrl}/access`);
    expect(cookie).toMatchObject({ name: "zuid", httpOnly: true });
    const { body } = await api("POST", "/access", { cookie: cookie?.value });
    expect(await api("GET", "/self", { token: body.access_token })).toHaveProperty("body.name", "Ada");
    expect(origin).toMatch(/^https:/);
  });

  browserTest("without scripts, a user continues with a button", async ({ newTab }) => {
    const { provider, origin, serve } = await startProvider();
    const registered = await registerBy(await ssoTeam(), provider);
    serve(registered);
    const page = await newTab({ ignoreHTTPSErrors: true });
    await page.goto(`${sharedStack().publicUrl}/sso/initiate-login/${registered.id}`);
    await follow(page.getByRole("button"));
    expect(page.url()).toBe(`${origin}/login`);
  });

  browserTest("the pages neither execute nor load anything from elsewhere", async ({ browser, newSite }) => {
    const { provider, serve } = await startProvider();
    const registered = await registerBy(await ssoTeam(), provider);
    serve(registered);
    const site = await newSite();
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(`${sharedStack().publicUrl}/sso/initiate-login/${registered.id}`);
    await page.waitForFunction('document.title === "svc:sso:success"');
    await page.evaluate(`
      const add = (name, fields) => document.body.append(Object.assign(document.createElement(name), fields));
      add("script", { textContent: "document.title = 'executed'" });
      add("img", { src: "${site.origin}/image" });
      add("iframe", { src: "${site.origin}/frame" });
      fetch("${site.origin}/fetch").catch(() => add("form", { action: "${site.origin}/form", method: "post" }));
    `);
    await page.waitForFunction("document.forms.length === 1");
    expect(await page.title()).toBe("svc:sso:success");
    await page.evaluate("document.forms[0].submit()");
    // The refused submission may still be on its way, and end this navigation as well.
    await eventually(() => page.goto(`${site.origin}/afterwards`));
    expect(new Set(site.visits)).toEqual(new Set(["/afterwards"]));
    await context.close();
  });
});
