import { randomUUID } from "node:crypto";
import { type ApiAnswer, api, internalApi } from "./api.ts";
import { type Apis, somePassword } from "./users.ts";

const shared: Apis = { publicApi: api, internalApi };

/** An address that no other test uses. */
export const newProviderEmail = () => `provider-${randomUUID()}@example.com`;

/** An activated provider that has logged in. */
export interface TestProvider {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

/** Register a provider with these fields and defaults. */
export const registerProvider = (
  fields: Record<string, unknown>,
  { publicApi }: Apis = shared,
): Promise<ApiAnswer> =>
  publicApi("POST", "/provider/register", {
    json: {
      name: "Acme",
      url: "https://acme.example.com",
      description: "Bots for everybody",
      password: somePassword,
      ...fields,
    },
  });

/** Look up the pending code of an address through the internal API. */
export async function providerCode(
  email: string,
  { kind = "activation", apis = shared }: { kind?: "activation" | "password-reset"; apis?: Apis } = {},
): Promise<{ key: string; code: string }> {
  const path = `/i/provider/${kind}-code?${new URLSearchParams({ email })}`;
  const { status, body } = await apis.internalApi("GET", path);
  if (status !== 200) throw new Error(`No code is pending: ${JSON.stringify(body)}`);
  return body;
}

/** Confirm an address with its code, by default the pending one. */
export async function activateProvider(
  email: string,
  { code, apis = shared }: { code?: { key: string; code: string }; apis?: Apis } = {},
): Promise<ApiAnswer> {
  const query = new URLSearchParams({ ...(code ?? (await providerCode(email, { apis }))) });
  return apis.publicApi("GET", `/provider/activate?${query}`);
}

export const logInProvider = (
  { email, password = somePassword }: { email: string; password?: string },
  { publicApi }: Apis = shared,
): Promise<ApiAnswer> => publicApi("POST", "/provider/login", { json: { email, password } });

/** Value of the cookie that a login sets. */
export const providerTokenIn = ({ setCookie = "" }: Pick<ApiAnswer, "setCookie">): string =>
  /^zprovider=([^;]*)/.exec(setCookie)?.[1] ?? "";

/** A new provider that has been activated and has logged in. */
export async function newProvider({
  apis = shared,
  ...fields
}: {
  apis?: Apis;
  email?: string;
  name?: string;
} = {}): Promise<TestProvider> {
  const email = fields.email ?? newProviderEmail();
  const { body } = await registerProvider({ ...fields, email }, apis);
  await activateProvider(email, { apis });
  const token = providerTokenIn(await logInProvider({ email }, apis));
  return { id: body.id, email, password: somePassword, token };
}
