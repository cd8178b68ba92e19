import { APIClient } from "@wireapp/api-client";
import { AssetRetentionPolicy } from "@wireapp/api-client/lib/asset/AssetRetentionPolicy.js";
import { ClientType } from "@wireapp/api-client/lib/client/index.js";
import { WebSocketClient } from "@wireapp/api-client/lib/tcp/index.js";

/** The start of a walk, as JSON: a page gets it as text. */
export interface WalkPlan {
  readonly publicUrl: string;
  readonly domain: string;
  /** Bodies of requests: made outside the walk, because prekeys are encoded with modules of Node. */
  readonly devices: Readonly<Record<"ada" | "ben" | "guest", object>>;
  readonly emails: Readonly<Record<"ada" | "ben", string>>;
  readonly password: string;
}

/** The help that a walk in a page needs from outside. */
export interface WalkHost {
  /** Get the code that an address was sent. */
  readonly activationCode: (email: string) => Promise<string>;
  /** Let this time pass for the timers of pings, however long that takes. */
  readonly passSeconds: (seconds: number) => Promise<void>;
}

interface Event {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
  readonly data: any;
}

const newestVersion = 6;
/** After each of these intervals the library sends a ping; without a pong before the next one, it reconnects. */
const pingSeconds = 20;
const patienceMilliseconds = 60_000;

/** Values that apps send for fields that a person has not filled in. */
const blankFields = { phone: null, phone_code: null, team: null, team_code: null, assets: null };

/**
 * Do what people do with apps, by the public client library as it is: two of them register and connect, talk in a group
 * that a guest joins by its link, and share a file; a minute later their sockets still work. Runs in Node and, bundled,
 * on a page.
 *
 * @returns what the clients have seen, as JSON
 */
export async function walk(
  { publicUrl, domain, devices, emails, password }: WalkPlan,
  { activationCode, passSeconds }: WalkHost,
) {
  // One after the other: all clients of a process, and of a page, share one cookie.
  const ada = await newClient(publicUrl);
  await ada.api.user.postActivationCode({ email: emails.ada });
  const verified = { email: emails.ada, email_code: await activationCode(emails.ada) };
  await ada.library.register({ ...blankFields, ...verified, name: "Ada", password } as never);
  const adasProfile = await ada.api.self.getSelf();
  await ada.addDevice({ ...devices.ada, password });

  const ben = await newClient(publicUrl);
  await ben.api.auth.postRegister({ ...blankFields, name: "Ben", email: emails.ben, password } as never);
  const activation = { email: emails.ben, code: await activationCode(emails.ben) };
  await ben.api.user.postActivation(activation as never);
  const login = { email: emails.ben, clientType: ClientType.PERMANENT };
  const wrongPassword = await refusalOf(ben.api.auth.postLogin({ ...login, password: "not my password" }));
  await ben.library.login({ ...login, password });
  const bensProfile = await ben.api.self.getSelf();
  await ben.addDevice({ ...devices.ben, password });

  await ada.api.connection.postConnection({ domain, id: ben.id });
  await ben.next("user.connection");
  await ben.api.connection.putConnection({ domain, id: ada.id }, { status: "accepted" } as never);
  await ada.next("conversation.member-join");

  const group = await ada.api.conversation.postConversation({
    name: "Engines",
    qualified_users: [{ domain, id: ben.id }],
    access: ["invite", "code"],
    access_role: ["team_member", "non_team_member", "guest", "service"],
    receipt_mode: null,
  } as never);
  const created = await ben.next("conversation.create");
  const { found: bensList = [] } = await ben.api.conversation.getConversationList();

  const event = await ada.api.conversation.postConversationCodeRequest(group.id);
  const { key, code } = (event as unknown as Event).data;
  const guest = await newClient(publicUrl);
  await guest.library.register({ ...blankFields, name: "Guest" } as never, ClientType.TEMPORARY);
  await guest.addDevice(devices.guest);
  const preview = await guest.api.conversation.getJoinByCode({ key, code });
  await guest.api.conversation.postJoinByCode({ key, code });
  const joined = await ada.next("conversation.member-join");

  /** Name in this walk of the user with this id, or with a device of this id. */
  const who = (wanted: string) =>
    Object.entries({ ada, ben, guest }).find(([, { id, deviceId }]) => [id, deviceId].includes(wanted))?.[0];
  const send = (ciphertext: string, recipients: readonly Client[]) =>
    ada.api.conversation.postOTRMessage(group.id, domain, {
      sender: deviceNumber(ada.deviceId),
      recipients: [
        {
          domain,
          entries: recipients.map(({ id, deviceId }) => ({
            user: { uuid: uuidBytes(id) },
            clients: [{ client: deviceNumber(deviceId), text: new TextEncoder().encode(ciphertext) }],
          })),
        },
      ],
      nativePush: true,
      reportAll: {},
    } as never);
  const nextMessage = async (client: Client) => {
    const { data } = await client.next("conversation.otr-message-add");
    return { from: who(data.sender), to: who(data.recipient), text: atob(data.text) };
  };
  const { missing, ...incomplete } = await refusalOf(send("for Ben alone", [ben]));
  await send("hello", [ben, guest]);
  const hellos = [await nextMessage(ben), await nextMessage(guest)];

  const content = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
  const options = { public: false, retention: AssetRetentionPolicy.VOLATILE };
  const asset = await ada.api.asset.postAsset(content, options).response;
  const { buffer } = await guest.api.asset.getAssetV4(asset.key, domain, asset.token).response;

  const clients = [ada, ben, guest];
  for (let seconds = 0; seconds < 60; seconds += pingSeconds) {
    await passSeconds(pingSeconds);
    await Promise.all(clients.map((client) => client.answered()));
  }
  await send("still there", [ben, guest]);
  const lateHellos = [await nextMessage(ben), await nextMessage(guest)];
  await ben.api.conversation.deleteMember(group.qualified_id, { domain, id: ben.id });
  const left = await ada.next("conversation.member-leave");

  const seen = {
    profiles: [adasProfile, bensProfile].map(({ name, email }) => ({ name, email })),
    wrongPassword,
    created: created.data.name,
    isListed: bensList.some(({ id }) => id === group.id),
    preview: preview.name,
    joined: joined.data.user_ids.map(who),
    incomplete,
    missing: Object.values(missing?.[domain] ?? {}).flatMap((devicesOfUser) => devicesOfUser.map(who)),
    messages: [...hellos, ...lateHellos],
    isFileWhole: isEqual(new Uint8Array(buffer), content),
    left: { users: left.data.user_ids.map(who), reason: left.data.reason },
    socketStates: clients.map(({ states }) => [...states]),
  };
  for (const { library } of clients) library.disconnect();
  await guest.library.logout();
  return { ...seen, afterLogout: (await refusalOf(guest.library.init())).label };
}

type Client = Awaited<ReturnType<typeof newClient>>;

async function newClient(publicUrl: string) {
  const urls = { name: "local", rest: publicUrl, ws: publicUrl.replace("http", "ws") };
  const library = new APIClient({ urls });
  await library.useVersion(0, newestVersion);
  const { http, ws } = library.transport;
  const events: Event[] = [];
  const states: number[] = [];
  const waiting = new Set<() => void>();
  ws.on(WebSocketClient.TOPIC.ON_MESSAGE, ({ payload = [] }) => {
    events.push(...(payload as unknown as Event[]));
    for (const check of waiting) check();
  });
  ws.on(WebSocketClient.TOPIC.ON_STATE_CHANGE, (state) => {
    states.push(state);
    for (const check of waiting) check();
  });

  /** Repeat a check whenever the socket reports something, and resolve with its first result. */
  const until = <Result>(wanted: string, check: () => Result | undefined): Promise<Result> =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(deadline);
        waiting.delete(attempt);
      };
      const attempt = () => {
        const result = check();
        if (result === undefined) return;
        end();
        resolve(result);
      };
      const deadline = setTimeout(() => {
        end();
        const types = events.map(({ type }) => type).join(", ");
        reject(new Error(`There is no ${wanted}, but socket states ${states} and events ${types}`));
      }, patienceMilliseconds);
      waiting.add(attempt);
      attempt();
    });

  return {
    library,
    get api() {
      return library.api;
    },
    get id() {
      return library.validatedUserId;
    },
    get deviceId() {
      return library.validatedClientId;
    },
    /** States that the library has reported: 0 when it begins to connect, 1 when the socket is open. */
    states,
    /** Register a device, tie the session to it and open its socket. */
    async addDevice(device: object) {
      const { id } = await library.api.client.postClient(device as never);
      // The event of the new device must be there immediately: without it, apps give up.
      await library.api.notification.getLastNotification(id);
      await http.associateClientWithSession(id);
      library.context = { ...library.context, clientId: id } as typeof library.context;
      library.connect();
      await until("open socket", () => states.includes(1) || undefined);
    },
    /** Take the first event of a type, once it is there. */
    next: (type: string) =>
      until(type, () => {
        const index = events.findIndex((event) => event.type === type);
        return index < 0 ? undefined : events.splice(index, 1)[0];
      }),
    /** Resolves when the last ping has been answered, which the library tells nobody. */
    async answered() {
      const { socket } = ws as unknown as { socket: { hasUnansweredPing: boolean } };
      const deadline = performance.now() + patienceMilliseconds;
      while (socket.hasUnansweredPing) {
        if (performance.now() > deadline) throw new Error("A ping was not answered");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

/** The refusal of a request, as far as an app can read it. */
async function refusalOf(request: Promise<unknown>) {
  const error = await request.then(
    () => ({}),
    (reason) => reason as Refusal,
  );
  const { label, response } = error as Refusal;
  return { label, status: response?.status, missing: response?.data.missing };
}

/** Errors of the library have a label, others the response. */
interface Refusal {
  readonly label?: string;
  readonly response?: {
    readonly status: number;
    readonly data: { readonly missing?: Record<string, Record<string, string[]>> };
  };
}

const uuidBytes = (id: string) =>
  Uint8Array.from(id.replaceAll("-", "").match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** A device id in two halves: the bundle lacks the module with which the library would read 64 bits of a text. */
function deviceNumber(deviceId: string) {
  const digits = deviceId.padStart(16, "0");
  const half = (start: number) => Number.parseInt(digits.slice(start, start + 8), 16);
  return { client: { low: half(8), high: half(0) } };
}

const isEqual = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);
