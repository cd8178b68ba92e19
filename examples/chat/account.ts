import { type Api, ApiError } from "./api.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { newKeyPackage, newSignatureKeys } from "./mls.ts";
import { newLastPrekey } from "./prekeys.ts";
import type { Store, StoredDevice } from "./store.ts";

/** A person of the demonstration. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface Credentials extends Person {
  readonly password: string;
  /** Resolves with the code in the mail that the service sends to the address. */
  readonly codeInMail: () => Promise<string>;
}

const wantedPackages = 10;
const suiteNumber = 1;

/** Continue the session of the device that is stored here, or log in, or register, and make this a device. */
export async function openDevice(api: Api, store: Store, credentials: Credentials): Promise<StoredDevice> {
  const device = (await continueSession(api, store)) ?? (await newSession(api, store, credentials));
  await uploadPackages(api, store, device);
  return device;
}

async function continueSession(api: Api, store: Store): Promise<StoredDevice | undefined> {
  const device = await store.device();
  if (device === undefined) return undefined;
  api.clientId = device.clientId;
  try {
    await api.refresh();
    return device;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    api.clientId = undefined;
    return undefined;
  }
}

async function newSession(api: Api, store: Store, credentials: Credentials): Promise<StoredDevice> {
  await logInOrRegister(api, credentials);
  const { qualified_id } = await api.send("GET", "/self");
  const known = await store.device();
  const clients: { id: string; time: string }[] = await api.send("GET", "/clients");
  const isKnown = known?.userId === qualified_id.id && clients.some(({ id }) => id === known?.clientId);
  if (known === undefined || !isKnown) await store.clear();
  const device =
    known !== undefined && isKnown ? known : await addDevice(api, store, { ...credentials, qualified_id });
  api.clientId = device.clientId;
  // From now on, the access tokens name the device.
  await api.refresh();
  return device;
}

async function logInOrRegister(api: Api, { name, email, password, codeInMail }: Credentials): Promise<void> {
  try {
    await api.logIn(email, password);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    await api.send("POST", "/register", { json: { name, email, password } });
    await api.send("POST", "/activate", { json: { email, code: await codeInMail() } });
    await api.logIn(email, password);
    // The handle by which others find the account; it may be taken already.
    const handle = email.replace(/@.*/, "");
    await api.send("PUT", "/self/handle", { json: { handle } }).catch(() => undefined);
  }
}

async function addDevice(
  api: Api,
  store: Store,
  { password, qualified_id }: { password: string; qualified_id: { id: string; domain: string } },
): Promise<StoredDevice> {
  const keys = await newSignatureKeys();
  const json = {
    type: "permanent",
    lastkey: newLastPrekey(),
    prekeys: [],
    password,
    mls_public_keys: { ed25519: toBase64(keys.publicKey) },
  };
  const register = () => api.send("POST", "/clients", { json });
  const { id: clientId } = await register().catch(async (error) => {
    if (!(error instanceof ApiError) || error.label !== "too-many-clients") throw error;
    await removeOldest(api, password);
    return register();
  });
  const device = { clientId, userId: qualified_id.id, domain: qualified_id.domain, ...keys };
  // The device needs events from now on.
  const { id: lastNotification } = await api.send("GET", `/notifications/last?client=${clientId}`);
  await store.save({ device, lastNotification });
  return device;
}

async function removeOldest(api: Api, password: string): Promise<void> {
  const clients: { id: string; time: string }[] = await api.send("GET", "/clients");
  const [oldest] = clients.toSorted((one, other) => one.time.localeCompare(other.time));
  if (oldest !== undefined) await api.send("DELETE", `/clients/${oldest.id}`, { json: { password } });
}

/** Upload key packages, unless enough are left: with each, somebody can add the device to one group. */
export async function uploadPackages(api: Api, store: Store, device: StoredDevice): Promise<void> {
  const path = `/mls/key-packages/self/${device.clientId}`;
  const { count } = await api.send("GET", `${path}/count?ciphersuite=${suiteNumber}`);
  if (count >= wantedPackages / 2) return;
  const packages = await Promise.all(
    Array.from({ length: wantedPackages - count }, () => newKeyPackage(device)),
  );
  // Private halves must be stored before anybody can use a package.
  await store.save({ packages });
  await api.send("POST", path, { json: { key_packages: packages.map(({ encoded }) => toBase64(encoded)) } });
}

/** Claim a key package of each device of a user, to add them to a group. */
export async function claimPackages(
  api: Api,
  { id, domain }: { id: string; domain: string },
): Promise<Uint8Array[]> {
  const path = `/mls/key-packages/claim/${domain}/${id}?ciphersuite=${suiteNumber}`;
  const { key_packages } = await api.send("POST", path);
  return key_packages.map((claimed: { key_package: string }) => fromBase64(claimed.key_package));
}
