import { randomBytes } from "node:crypto";
import { serveBots } from "../../../examples/echo-bot/bot.ts";
import { newIdentity } from "../../../examples/echo-bot/certificate.ts";
import type { SeedApi } from "./seed-api.ts";
import type { SeededConversation } from "./seed-conversations.ts";
import { type SeededTeam, seedPassword } from "./seed-team.ts";

const providerEmail = "bots@engines.example";
const serviceName = "Echo";

/** A service with a bot in a conversation. */
export interface SeededBot {
  readonly name: string;
  readonly id: string;
  readonly provider: string;
  readonly service: string;
}

/** The example of a bot, which runs in this process. */
interface EchoService {
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly authToken: string;
  stop(): void;
}

/** Run the example of a bot. @param publicUrl of the API that its bots call */
export async function startEchoService(publicUrl: string): Promise<EchoService> {
  const identity = newIdentity();
  const authToken = randomBytes(18).toString("base64url");
  const { port, stop } = await serveBots({ baseUrl: publicUrl, authToken, identity, port: 0 });
  return { baseUrl: `https://127.0.0.1:${port}`, publicKey: identity.publicKey, authToken, stop };
}

/**
 * Register the service, let the team admit it, and add one of its bots to a conversation. The service forgets its bots
 * when it ends, so those of earlier runs are removed.
 */
export async function seedBot(
  api: SeedApi,
  echo: EchoService,
  { id: team, people: [{ token }] }: SeededTeam,
  conversation: SeededConversation,
): Promise<SeededBot> {
  const { provider, cookie } = await logInProvider(api);
  const service = await registerService(api, cookie, echo);
  const whitelisted = { provider, id: service, whitelisted: true };
  await api.call("POST", `/teams/${team}/services/whitelist`, {
    token,
    json: whitelisted,
    expected: [200, 204],
  });

  const bots = `/bot/conversations/${conversation.id}`;
  for (const { id } of conversation.others.filter((member) => member.service !== undefined))
    await api.call("DELETE", `${bots}/${id}`, { token, expected: [200, 204] });
  const { body } = await api.call("POST", bots, { token, json: { provider, service } });
  return { name: serviceName, id: body.id, provider, service };
}

async function logInProvider(api: SeedApi): Promise<{ provider: string; cookie: string }> {
  const credentials = { email: providerEmail, password: seedPassword };
  const logIn = (expected: readonly number[]) =>
    api.call("POST", "/provider/login", { json: credentials, expected });
  let login = await logIn([200, 403]);
  if (login.status === 403) {
    const profile = { name: "Engines", url: "https://engines.example", description: "Bots for the team" };
    await api.call("POST", "/provider/register", {
      json: { ...profile, ...credentials },
      expected: [201, 409],
    });
    const query = new URLSearchParams({ email: providerEmail });
    const { body: code } = await api.operate("GET", `/i/provider/activation-code?${query}`);
    await api.call("GET", `/provider/activate?${new URLSearchParams(code)}`);
    login = await logIn([200]);
  }
  const [cookie = ""] = login.headers.getSetCookie().map((one) => one.replace(/;.*/s, ""));
  const { body: self } = await api.call("GET", "/provider", { cookie });
  return { provider: self.id, cookie };
}

/**
 * Register the service, or update the address at which it listens.
 * @returns its id
 */
async function registerService(
  api: SeedApi,
  cookie: string,
  { baseUrl, publicKey, authToken }: EchoService,
): Promise<string> {
  const { body: services } = await api.call("GET", "/provider/services", { cookie });
  const known = services.find(({ name }: { name: string }) => name === serviceName);
  const description = {
    name: serviceName,
    summary: "Repeats what it hears",
    description: "Sends back every message that it gets",
    assets: [],
    tags: ["tutorial"],
  };
  const place = { base_url: baseUrl, public_key: publicKey, auth_token: authToken };
  const id =
    known?.id ??
    (await api.call("POST", "/provider/services", { cookie, json: { ...description, ...place } })).body.id;
  await api.call("PUT", `/provider/services/${id}/connection`, {
    cookie,
    json: {
      password: seedPassword,
      enabled: true,
      base_url: baseUrl,
      public_keys: [publicKey],
      auth_tokens: [authToken],
    },
  });
  return id;
}
