import { randomBytes } from "node:crypto";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deployment } from "./deployment.ts";
import { walkSignIn } from "./walk-sign-in.ts";
import { type Api, answerOf, call, eventually, expectStatus, next, step, withSocket } from "./walk-steps.ts";
import { walkDirectory, walkTeam } from "./walk-team.ts";

const password = "correct horse battery";

/**
 * The walk of the README against a deployment, with the parts that only a deployment has: the signature required by the
 * internal API, and the socket of API Gateway.
 *
 * @throws Error at the first answer that is not as expected
 */
export async function walk(
  deployment: Deployment,
  { setOAuthEnabled, sso, pushApplications }: Pick<Settings, "setOAuthEnabled" | "sso" | "pushApplications">,
): Promise<void> {
  const email = `ada-${Date.now()}@example.com`;
  const api: Api = (path, request) => call(`${deployment.publicUrl}${path}`, request);

  await step("the internal API refuses a request without a signature", async () => {
    expectStatus(await call(`${deployment.internalUrl}/i/status`), 403);
  });
  await step("the internal API answers a signed one", async () => {
    expectStatus(await answerOf(await deployment.signedFetch("/i/status")), 200);
    expectStatus(await answerOf(await deployment.signedFetch("/i/docs")), 200);
  });
  await step("the API document can be read, and so can its page, a guide and the page's files", async () => {
    expectStatus(await api("/v9/api/openapi.json"), 200);
    expectStatus(await api("/api/docs"), 200);
    expectStatus(await api("/api/docs/guides/errors"), 200);
    expectStatus(await api("/i/docs"), 404);
    expectStatus(await api("/api/docs/swagger-ui.css"), 200);
  });
  await step("register", async () => {
    const { body } = expectStatus(await api("/register", { json: { name: "Ada", email, password } }), 201);
    if (body.email !== undefined) throw new Error("The profile shows an address that nobody has confirmed");
  });
  const code = await step("the mail with the code arrives", () =>
    eventually(async () => {
      const mail = (await deployment.mails()).find(({ to }) => to.includes(email));
      return mail && /\b\d{6}\b/.exec(mail.text)?.[0];
    }),
  );
  await step("activate", async () => {
    expectStatus(await api("/activate", { json: { email, code } }), 200);
  });
  const logIn = async () => {
    const json = { email, password };
    const { body, headers } = expectStatus(await api("/login?persist=true", { json }), 200);
    return { token: String(body.access_token), cookie: headers.getSetCookie().join().replace(/;.*/, "") };
  };
  const { token, cookie } = await step("log in", logIn);
  const authorization = `Bearer ${token}`;
  await step("read the own profile", async () => {
    const { body } = expectStatus(await api("/self", { headers: { authorization } }), 200);
    if (body.email !== email) throw new Error(`The profile has the address ${body.email}`);
  });
  await step("get a new token with the cookie", async () => {
    expectStatus(await api("/access", { method: "POST", headers: { cookie } }), 200);
  });
  await step("a socket answers ping, and gets live events of another session", async () => {
    const other = await logIn();
    const query = new URLSearchParams({ endpoint: "await", access_token: other.token });
    await withSocket(`${deployment.socketUrl}?${query}`, async (socket) => {
      const pong = next(socket, (frame) => frame === "pong");
      socket.send("ping");
      await pong;
      const event = next(socket, (frame) => frame.includes("user.update"));
      const change = { method: "PUT", json: { name: "Ada L." }, headers: { authorization } };
      expectStatus(await api("/self", change), 200);
      await event;
    });
  });
  await step("the event can be read later", async () => {
    const { body } = expectStatus(await api("/notifications", { headers: { authorization } }), 200);
    if (!JSON.stringify(body).includes("user.update"))
      throw new Error("The event is not among the notifications");
  });
  await step("a property whose key has a slash is stored and read", async () => {
    const path = "/properties/a%2Fb";
    const headers = { authorization };
    expectStatus(await api(path, { method: "PUT", json: { theme: "dark" }, headers }), 200);
    expectStatus(await api(path, { headers }), 200);
  });
  await step("an asset is uploaded, and read at a signed address", async () => {
    const boundary = "frontier";
    const part = (type: string, content: string) =>
      `--${boundary}\r\nContent-Type: ${type}\r\nContent-Length: ${content.length}\r\n\r\n${content}\r\n`;
    const response = await fetch(`${deployment.publicUrl}/v8/assets`, {
      method: "POST",
      headers: { authorization, "content-type": `multipart/mixed; boundary=${boundary}` },
      body: `${part("application/json", "{}")}${part("image/png", "bytes")}--${boundary}--\r\n`,
    });
    const { key, domain } = expectStatus(await answerOf(response), 201).body;
    const download = await fetch(`${deployment.publicUrl}/v8/assets/${domain}/${key}`, {
      headers: { authorization },
    });
    const { body } = expectStatus(await answerOf(download), 200);
    if (body !== "bytes") throw new Error(`The asset contains ${body}`);
    const headers = { authorization };
    expectStatus(await api(`/v8/assets/${domain}/${key}`, { method: "DELETE", headers }), 200);
  });
  await step("push tokens for each app of the settings are registered and removed", async () => {
    const headers = { authorization };
    for (const { app, transport } of pushApplications) {
      const token = randomBytes(32).toString("hex");
      const json = { app, transport, token, client: "a0" };
      expectStatus(await api("/v8/push/tokens", { json, headers }), 201);
      expectStatus(await api(`/v8/push/tokens/${token}`, { method: "DELETE", headers }), 204);
    }
  });
  await step("an operator registers an app, unless OAuth is switched off", async () => {
    const json = { application_name: "Calendar", redirect_url: "http://127.0.0.1:9999/callback" };
    const answer = await answerOf(await deployment.signedFetch("/i/oauth/clients", json));
    expectStatus(answer, setOAuthEnabled ? 200 : 403);
  });
  const owner = await walkTeam(deployment, api);
  await walkSignIn(deployment, api, owner, { setOAuthEnabled, sso });
  await walkDirectory(api, owner);
  await step("log out, after which the cookie is useless", async () => {
    expectStatus(await api("/access/logout", { method: "POST", headers: { authorization, cookie } }), 200);
    expectStatus(await api("/access", { method: "POST", headers: { cookie } }), 403);
  });
}
