import { randomUUID } from "node:crypto";
import { request } from "./parley.ts";

interface Registration {
  readonly provider: string;
  readonly service: string;
}

/**
 * Register a provider with a service, and switch it on. A real provider does this once, with the link in the mail;
 * here, the internal API reveals the code in that mail.
 */
export async function register(
  { baseUrl, internalUrl }: { readonly baseUrl: string; readonly internalUrl: string },
  {
    serviceUrl,
    publicKey,
    authToken,
  }: { readonly serviceUrl: string; readonly publicKey: string; readonly authToken: string },
): Promise<Registration> {
  const api = `${baseUrl}/v9`;
  const email = `echo-bot-${randomUUID()}@example.com`;
  const post = (path: string, json: object, status: number, headers = {}) =>
    request(`${api}${path}`, { method: "POST", json, headers, expected: [status] });

  const provider = await post(
    "/provider/register",
    { name: "Examples", email, url: "https://example.com", description: "Examples of bots" },
    201,
  );
  const { password } = provider.body;
  const codeUrl = `${internalUrl}/i/provider/activation-code?${new URLSearchParams({ email })}`;
  const { body: code } = await request(codeUrl, { expected: [200] });
  await request(`${api}/provider/activate?${new URLSearchParams(code)}`, { expected: [200] });

  const login = await post("/provider/login", { email, password }, 200);
  const [cookie = ""] = login.headers.getSetCookie().map((one) => one.split(";")[0]);
  const service = await post(
    "/provider/services",
    {
      name: "Echo",
      summary: "Repeats what it hears",
      description: "Sends back every message that it gets",
      base_url: serviceUrl,
      public_key: publicKey,
      auth_token: authToken,
      assets: [],
      tags: ["tutorial"],
    },
    201,
    { cookie },
  );
  await request(`${api}/provider/services/${service.body.id}/connection`, {
    method: "PUT",
    json: { password, enabled: true },
    headers: { cookie },
    expected: [200],
  });
  return { provider: provider.body.id, service: service.body.id };
}
