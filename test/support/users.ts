import { randomInt, randomUUID } from "node:crypto";
import { type Api, type ApiAnswer, api, internalApi } from "./api.ts";

export const newEmail = () => `user-${randomUUID()}@example.com`;
export const newPhone = () => `+4917${randomInt(10 ** 9, 10 ** 10)}`;
export const somePassword = "correct horse battery";

export interface Apis {
  readonly publicApi: Api;
  readonly internalApi: Api;
}

const shared: Apis = { publicApi: api, internalApi };

export type Address = { email: string } | { phone: string };

export interface User {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  /** Persistent. */
  readonly cookie: string;
}

export const register = (fields: Record<string, unknown>, { publicApi }: Apis = shared): Promise<ApiAnswer> =>
  publicApi("POST", "/register", { json: { name: "Ada", ...fields } });

/** Pending activation of an address or number, by the internal look-up. */
export async function activationCode(
  address: Address,
  apis: Apis = shared,
): Promise<{ key: string; code: string }> {
  const path = `/i/users/activation-code?${new URLSearchParams(address)}`;
  const { status, body } = await apis.internalApi("GET", path);
  if (status !== 200) throw new Error(`No activation is pending: ${JSON.stringify(body)}`);
  return body;
}

export async function activate(address: Address, apis: Apis = shared): Promise<ApiAnswer> {
  const { code } = await activationCode(address, apis);
  return apis.publicApi("POST", "/activate", { json: { ...address, code } });
}

export const logIn = (
  { email, password }: Pick<User, "email" | "password">,
  { isPersistent = true, label, apis = shared }: { isPersistent?: boolean; label?: string; apis?: Apis } = {},
): Promise<ApiAnswer> =>
  apis.publicApi("POST", `/login?persist=${isPersistent}`, { json: { email, password, label } });

/** A registered, activated and logged-in user of the test's own. */
export async function newUser(
  fields: Record<string, unknown> & { email?: string; password?: string } = {},
  apis: Apis = shared,
): Promise<User> {
  const { email = newEmail(), password = somePassword } = fields;
  const registered = await register({ ...fields, email, password }, apis);
  if (registered.status !== 201) throw new Error(`Registration failed: ${JSON.stringify(registered.body)}`);
  await activate({ email }, apis);
  const login = await logIn({ email, password }, { apis });
  return {
    id: registered.body.id,
    email,
    password,
    token: login.body.access_token,
    cookie: login.cookie ?? "",
  };
}
