import { randomInt, randomUUID } from "node:crypto";
import { type Api, type ApiAnswer, api, internalApi } from "./api.ts";
import { type SeededProfile, type StackData, seedUser } from "./seeded-users.ts";

/** An address that no other test uses. */
export const newEmail = () => `user-${randomUUID()}@example.com`;
/** A number that no other test uses. */
export const newPhone = () => `+4917${randomInt(10 ** 9, 10 ** 10)}`;
/** Password of users whose password does not matter. */
export const somePassword = "correct horse battery";

/** The two APIs of a stack. */
export interface Apis {
  readonly publicApi: Api;
  readonly internalApi: Api;
  /** A stack in which users can be created without the API. */
  readonly data?: StackData;
}

const shared: Apis = { publicApi: api, internalApi };

/** The address or number by which an account is activated. */
export type Address = { email: string } | { phone: string };

/** An activated user with a session. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  /** A persistent cookie. */
  readonly cookie: string;
}

/** Register a user with these fields and a default name. */
export const register = (fields: Record<string, unknown>, { publicApi }: Apis = shared): Promise<ApiAnswer> =>
  publicApi("POST", "/register", { json: { name: "Ada", ...fields } });

/** Look up the pending activation of an address or number through the internal API. */
export async function activationCode(
  address: Address,
  apis: Apis = shared,
): Promise<{ key: string; code: string }> {
  const path = `/i/users/activation-code?${new URLSearchParams(address)}`;
  const { status, body } = await apis.internalApi("GET", path);
  if (status !== 200) throw new Error(`No activation is pending: ${JSON.stringify(body)}`);
  return body;
}

/** Activate an address or number with its pending code. */
export async function activate(address: Address, apis: Apis = shared): Promise<ApiAnswer> {
  const { code } = await activationCode(address, apis);
  return apis.publicApi("POST", "/activate", { json: { ...address, code } });
}

/** Log in with a password; by default the cookie is persistent. */
export const logIn = (
  { email, password }: Pick<User, "email" | "password">,
  { isPersistent = true, label, apis = shared }: { isPersistent?: boolean; label?: string; apis?: Apis } = {},
): Promise<ApiAnswer> =>
  apis.publicApi("POST", `/login?persist=${isPersistent}`, { json: { email, password, label } });

interface Credentials {
  readonly email?: string;
  readonly password?: string;
}

/** Create an activated user with a session: directly in the tables, or through the API of any other stack. */
export const newUser = (
  { email = newEmail(), password = somePassword, ...profile }: Credentials & SeededProfile = {},
  apis?: Apis,
): Promise<User> =>
  apis === undefined || apis.data !== undefined
    ? seedUser(email, password, profile, apis?.data)
    : registeredUser({ ...profile, email, password }, apis);

/** Create a user by registration, activation and login. */
export async function registeredUser(
  { email = newEmail(), password = somePassword, ...fields }: Credentials & Record<string, unknown> = {},
  apis: Apis = shared,
): Promise<User> {
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
