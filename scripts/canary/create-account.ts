import { randomBytes } from "node:crypto";
import type { CanaryAccount } from "#functions/platform/canary/canary-account.ts";
import { lastPrekey, newPrekeys } from "../../test/support/prekeys.ts";

/** Sends a request, signed if necessary. */
export type Call = (
  method: "GET" | "POST",
  path: string,
  request?: { readonly json?: unknown; readonly token?: string },
) => Promise<{ readonly status: number; readonly body: unknown }>;

interface CreateOptions {
  readonly publicApi: Call;
  readonly internalApi: Call;
  /** Addresses of the operator: each account gets a mail with a code, which nobody has to read. */
  readonly email: string;
  readonly contactEmail: string;
}

const version = "/v8";

/**
 * Register the account of the canary with two devices, and a second account, the contact for which it searches.
 * @throws Error naming the request and its answer
 */
export async function createCanaryAccount(options: CreateOptions): Promise<CanaryAccount> {
  const password = newPassword();
  const { userId, token } = await register(options, { email: options.email, password, name: "Canary" });
  // A name that nobody else has, so that a search for it is short.
  const name = `Canary${randomBytes(6).toString("hex")}`;
  const contact = await register(options, {
    email: options.contactEmail,
    password: newPassword(),
    name,
  });
  await expected(options.publicApi, "POST", `${version}/conversations/self`, { token });
  const devices: CanaryAccount["devices"] = [
    await addDevice(options, { token, password }),
    await addDevice(options, { token, password }),
  ];
  return { userId, email: options.email, password, devices, contact: { userId: contact.userId, name } };
}

const newPassword = () => randomBytes(24).toString("base64url");

interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

async function register({ publicApi, internalApi }: CreateOptions, { email, password, name }: NewAccount) {
  const { id } = await expected(publicApi, "POST", `${version}/register`, {
    json: { email, password, name },
  });
  const query = new URLSearchParams({ email });
  const pending = await expected(internalApi, "GET", `/i/users/activation-code?${query}`);
  await expected(publicApi, "POST", `${version}/activate`, { json: pending });
  const session = await expected(publicApi, "POST", `${version}/login`, { json: { email, password } });
  return { userId: String(id), token: String(session.access_token) };
}

async function addDevice(
  { publicApi }: CreateOptions,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<string> {
  const json = { type: "permanent", password, prekeys: newPrekeys(1), lastkey: lastPrekey() };
  const { id } = await expected(publicApi, "POST", `${version}/clients`, { token, json });
  return String(id);
}

async function expected(call: Call, ...[method, path, request]: Parameters<Call>) {
  const { status, body } = await call(method, path, request);
  if (status >= 200 && status < 300) return body as Record<string, unknown>;
  const { label = "", message = "" } = (body ?? {}) as { label?: string; message?: string };
  throw new Error(`${method} ${path.split("?")[0]} was answered with ${status} ${label}: ${message}`);
}
