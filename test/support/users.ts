import { randomInt, randomUUID } from "node:crypto";
import { type Api, api, internalApi } from "./api.ts";

export const newEmail = () => `user-${randomUUID()}@example.com`;
export const newPhone = () => `+4917${randomInt(10 ** 9, 10 ** 10)}`;
export const somePassword = "correct horse battery";

export interface Apis {
  readonly publicApi: Api;
  readonly internalApi: Api;
}

const shared: Apis = { publicApi: api, internalApi };

export interface User {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly cookie: string;
}

/** Pending activation of an address, by the internal look-up. */
export async function activationCode(
  email: string,
  apis: Apis = shared,
): Promise<{ key: string; code: string }> {
  const { body } = await apis.internalApi(
    "GET",
    `/i/users/activation-code?email=${encodeURIComponent(email)}`,
  );
  return body;
}

/** A registered, activated and logged-in user of the test's own. */
export async function newUser(
  {
    email = newEmail(),
    password = somePassword,
    ...fields
  }: Record<string, unknown> & { email?: string; password?: string } = {},
  apis: Apis = shared,
): Promise<User> {
  const registered = await apis.publicApi("POST", "/register", {
    json: { name: "Ada", email, password, ...fields },
  });
  if (registered.status !== 201) throw new Error(`Registration failed: ${JSON.stringify(registered.body)}`);
  const { code } = await activationCode(email, apis);
  await apis.publicApi("POST", "/activate", { json: { email, code } });
  const login = await apis.publicApi("POST", "/login?persist=true", { json: { email, password } });
  return {
    id: registered.body.id,
    email,
    password,
    token: login.body.access_token,
    cookie: login.cookie ?? "",
  };
}
