import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { json as readJson } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { checkOut, hasCommit, previousRelease } from "#lib/releases/checkout.ts";
import { migrate } from "#lib/releases/migrate.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { migrations } from "#shared/registry/migrations.ts";
import { queues } from "#shared/registry/queues.ts";
import { type Api, type ApiAnswer, apiAt, outcome } from "../support/api.ts";
import { fetchBytes, locationOf, mixed } from "../support/assets.ts";
import { localDomain } from "../support/connections.ts";
import { createConversation, qualified } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { forkVersion, stopVersions } from "../support/fork-version.ts";
import { newApp, newCode, redeem, refresh } from "../support/oauth.ts";
import { lastPrekey, newPrekeys } from "../support/prekeys.ts";
import { openSocket } from "../support/socket.ts";
import { uploadBody } from "../support/upload-body.ts";
import {
  activate,
  activationCode,
  logIn,
  newEmail,
  newPhone,
  register,
  registeredUser,
  somePassword,
  type User,
} from "../support/users.ts";
import { startVersionGateway, type Version } from "../support/version-gateway.ts";

const needs = "the previous release in the history of git";
/** Requests that each version answers before the next change. */
const requestsOfVersion = 150;

afterAll(stopVersions);

describe.skipIf(!hasCommit(previousRelease))("two versions on the same data", { meta: { needs } }, () => {
  it("finish what the other has begun, there and back under load, without losing a request or an event", {
    timeout: 900_000,
  }, async () => {
    const checkout = checkOut(previousRelease);
    const gateway = await startVersionGateway();
    const prefix = `versions-${randomUUID().slice(0, 8)}`;
    const versions: Version[] = [];
    const start = async (name: string, root: string) => {
      const version = await forkVersion(gateway, { name, root, prefix });
      versions.push(version);
      return version;
    };
    const startPrevious = () => start("the previous release", checkout.root);
    const startThis = async () => {
      for (const migration of migrations) {
        await migrate({ dynamo: createDynamo(), tableName: `${prefix}-${migration.table}`, migration });
      }
      return start("this version", join(import.meta.dirname, "../.."));
    };
    const client = newClient(gateway);
    try {
      let previous = await startPrevious();
      await gateway.use(previous);
      const loads = [await startLoad(client)];
      const answered = (...busy: Version[]) => {
        const goals = busy.map(
          (version) => [version, gateway.answeredBy(version) + requestsOfVersion] as const,
        );
        return eventually(
          () => {
            for (const [version, goal] of goals) expect(gateway.answeredBy(version)).toBeGreaterThan(goal);
          },
          { timeoutSeconds: 120 },
        );
      };

      const first = begin(client);
      await goOn(first);
      await answered(previous);

      const next = await startThis();
      await gateway.use(previous, next);
      await goOn(first);
      await answered(previous, next);
      await gateway.use(next);
      await previous.stop();

      await goOn(first);
      loads.push(await startLoad(client));
      const second = begin(client);
      await goOn(second);
      await answered(next);

      previous = await startPrevious();
      await gateway.use(previous, next);
      await goOn(first);
      await goOn(second);
      await answered(previous, next);
      await gateway.use(previous);
      await next.stop();

      await goOn(second);
      await finish([...first, ...second]);
      await answered(previous);

      client.isOver = true;
      for (const { expectNothingLost } of loads) await expectNothingLost();
      expect(client.failures).toEqual([]);
      expect(versions.flatMap(({ errors }) => errors)).toEqual([]);
    } finally {
      client.isOver = true;
      await gateway.stop();
      await stopVersions();
      checkout.remove();
    }
  });
});

interface Client {
  readonly publicUrl: string;
  readonly publicApi: Api;
  readonly internalApi: Api;
  readonly failures: string[];
  /** Set to end everything that runs without end. */
  isOver: boolean;
  readonly counts: { requests: number; repetitions: number };
}

/** Clients repeat what they are asked to repeat, and nothing else. */
function newClient({ publicUrl, internalUrl }: { publicUrl: string; internalUrl: string }): Client {
  const failures: string[] = [];
  const counts = { requests: 0, repetitions: 0 };
  const patient =
    (api: Api): Api =>
    async (...parameters) => {
      for (;;) {
        const answer = await api(...parameters);
        counts.requests++;
        if (answer.status >= 500 && answer.status !== 503)
          failures.push(`${parameters[0]} ${parameters[1]}: ${outcome(answer)}`);
        if (answer.status !== 503 && answer.body.label !== "concurrent-change") return answer;
        counts.repetitions++;
      }
    };
  return {
    publicUrl,
    publicApi: patient(apiAt(publicUrl)),
    internalApi: patient(apiAt(internalUrl)),
    failures,
    isOver: false,
    counts,
  };
}

/** Something that takes several requests; between its parts, other versions take over. */
type Journey = AsyncGenerator<void, void>;

const begin = (client: Client): Journey[] =>
  [registration, loginByCode, authorization, upload, conversation, connection].map((journey) =>
    journey(client),
  );

const goOn = (journeys: readonly Journey[]) => Promise.all(journeys.map((journey) => journey.next()));

async function finish(journeys: readonly Journey[]): Promise<void> {
  for (const journey of journeys) while (!(await journey.next()).done);
}

/** @throws Error for another outcome */
function expectOutcome(answer: ApiAnswer, expected: string): ApiAnswer {
  expect(`${outcome(answer)}${outcome(answer) === expected ? "" : ` ${JSON.stringify(answer.body)}`}`).toBe(
    expected,
  );
  return answer;
}

async function* registration(apis: Client): Journey {
  const email = newEmail();
  expectOutcome(await register({ email, password: somePassword }, apis), "201");
  yield;
  expectOutcome(await activate({ email }, apis), "200");
  yield;
  const { body, cookie = "" } = expectOutcome(
    await logIn({ email, password: somePassword }, { apis }),
    "200",
  );
  yield;
  expectOutcome(await apis.publicApi("POST", "/access", { cookie, token: body.access_token }), "200");
}

async function* loginByCode(apis: Client): Journey {
  const { publicApi, internalApi } = apis;
  const phone = newPhone();
  expectOutcome(await register({ phone }, apis), "201");
  const { code: activation } = await activationCode({ phone }, apis);
  expectOutcome(await publicApi("POST", "/activate", { json: { phone, code: activation } }), "200");
  expectOutcome(await publicApi("POST", "/login/send", { json: { phone } }), "200");
  yield;
  const path = `/i/users/login-code?${new URLSearchParams({ phone })}`;
  const { code } = expectOutcome(await internalApi("GET", path), "200").body;
  const { cookie = "" } = expectOutcome(
    await publicApi("POST", "/login?persist=true", { json: { phone, code } }),
    "200",
  );
  yield;
  const { body } = expectOutcome(await publicApi("POST", "/access", { cookie }), "200");
  yield;
  expectOutcome(await publicApi("GET", "/self", { token: body.access_token }), "200");
  expectOutcome(await publicApi("POST", "/access/logout", { cookie, token: body.access_token }), "200");
}

async function* authorization(apis: Client): Journey {
  const user = await registeredUser({}, apis);
  const app = await newApp({}, apis);
  const code = await newCode(app, user, {}, apis);
  yield;
  const { body: tokens } = expectOutcome(await redeem(app, code, {}, apis), "200");
  yield;
  const { body: renewed } = expectOutcome(await refresh(app, tokens.refresh_token, {}, apis), "200");
  yield;
  expectOutcome(await apis.publicApi("GET", "/self", { token: renewed.access_token }), "200");
  expectOutcome(await refresh(app, renewed.refresh_token, {}, apis), "200");
}

async function* upload(apis: Client): Journey {
  const { token } = await registeredUser({}, apis);
  const body = uploadBody({ content: "a file of several versions", boundary: "frontier" });
  const headers = { ...mixed, authorization: `Bearer ${token}`, "content-length": String(body.length) };
  const begun = request(`${apis.publicUrl}/v8/assets`, { method: "POST", headers });
  begun.write(body.subarray(0, body.length / 2));
  yield;
  const { key } = await endUpload(begun, body.subarray(body.length / 2));
  const path = `/v8/assets/${localDomain}/${key}`;
  yield;
  const { bytes } = await fetchBytes(
    locationOf(expectOutcome(await apis.publicApi("GET", path, { token }), "302")),
  );
  expect(bytes.toString()).toBe("a file of several versions");
  yield;
  expectOutcome(await apis.publicApi("DELETE", path, { token }), "200");
  expectOutcome(await apis.publicApi("GET", path, { token }), "404 not-found");
}

async function endUpload(begun: ClientRequest, rest: Uint8Array): Promise<{ key: string }> {
  const answered = once(begun, "response") as Promise<[IncomingMessage]>;
  begun.end(rest);
  const [response] = await answered;
  expect(response.statusCode).toBe(201);
  return (await readJson(response)) as { key: string };
}

async function* conversation(apis: Client): Journey {
  const { publicApi } = apis;
  const people = await Promise.all([1, 2, 3].map(() => registeredUser({}, apis)));
  const [owner, member, other] = people as [User, User, User];
  await connect(apis, owner, member);
  await connect(apis, owner, other);
  const { body } = expectOutcome(
    await createConversation(owner, { with: [member], name: "One" }, apis),
    "201",
  );
  const path = `/v9/conversations/${localDomain}/${body.qualified_id.id}`;
  yield;
  const json = { qualified_users: qualified(other) };
  expectOutcome(await publicApi("POST", `${path}/members`, { token: owner.token, json }), "200");
  yield;
  expectOutcome(await publicApi("PUT", `${path}/name`, { token: owner.token, json: { name: "Two" } }), "200");
  yield;
  const { body: found } = expectOutcome(await publicApi("GET", path, { token: other.token }), "200");
  expect(found).toMatchObject({ name: "Two", members: { others: [{}, {}] } });
  const removal = `${path}/members/${localDomain}/${member.id}`;
  expectOutcome(await publicApi("DELETE", removal, { token: owner.token }), "200");
}

async function* connection(apis: Client): Journey {
  const [one, other] = (await Promise.all([registeredUser({}, apis), registeredUser({}, apis)])) as [
    User,
    User,
  ];
  const path = ({ id }: User) => `/connections/${localDomain}/${id}`;
  expectOutcome(await apis.publicApi("POST", path(other), { token: one.token }), "201");
  yield;
  const json = { status: "accepted" };
  expectOutcome(await apis.publicApi("PUT", path(one), { token: other.token, json }), "200");
  yield;
  const { body } = expectOutcome(await apis.publicApi("GET", path(other), { token: one.token }), "200");
  expect(body.status).toBe("accepted");
  yield;
  const blocked = { status: "blocked" };
  expectOutcome(await apis.publicApi("PUT", path(one), { token: other.token, json: blocked }), "200");
}

async function connect({ publicApi }: Client, one: User, other: User): Promise<void> {
  const path = ({ id }: User) => `/connections/${localDomain}/${id}`;
  expectOutcome(await publicApi("POST", path(other), { token: one.token }), "201");
  const json = { status: "accepted" };
  expectOutcome(await publicApi("PUT", path(one), { token: other.token, json }), "200");
}

/** People who send messages to each other, come and go, and keep two sockets open all the time. */
async function startLoad(apis: Client) {
  const { publicApi, publicUrl, failures } = apis;
  const people = await Promise.all([1, 2, 3].map(() => registeredUser({}, apis)));
  const [sender, live, acknowledging] = people as [User, User, User];
  const [from, toLive, toAcknowledging] = (await Promise.all([
    newDevice(apis, sender),
    newDevice(apis, live),
    newDevice(apis, acknowledging, ["consumable-notifications"]),
  ])) as [string, string, string];
  await connect(apis, sender, live);
  await connect(apis, sender, acknowledging);
  const group = await createConversation(sender, { with: [live, acknowledging] }, apis);
  const conversationId = expectOutcome(group, "201").body.qualified_id.id;

  const liveSocket = await openSocket(
    "/await",
    { token: live.token, query: { client: toLive } },
    { publicUrl },
  );
  const eventSocket = await openSocket(
    "/v9/events",
    { token: acknowledging.token, query: { client: toAcknowledging } },
    { publicUrl },
  );
  eventSocket.onFrame = ({ type, data }) => {
    if (type === "event")
      eventSocket.send({ type: "ack", data: { delivery_tag: data.delivery_tag, multiple: false } });
  };

  const sent: string[] = [];
  const repeat = async (task: () => Promise<unknown>) => {
    while (!apis.isOver) await task().catch((error) => failures.push(String(error)));
  };
  const running = Promise.all([
    repeat(async () => {
      const text = Buffer.from(`message ${randomUUID()}`).toString("base64");
      const recipients = { [live.id]: { [toLive]: text }, [acknowledging.id]: { [toAcknowledging]: text } };
      const json = { sender: from, recipients };
      const path = `/conversations/${conversationId}/otr/messages`;
      expectOutcome(await publicApi("POST", path, { token: sender.token, json }), "201");
      sent.push(text);
    }),
    repeat(async () => {
      const { body } = expectOutcome(await publicApi("POST", "/access", { cookie: live.cookie }), "200");
      expectOutcome(await publicApi("GET", "/self", { token: body.access_token }), "200");
      expectOutcome(await publicApi("GET", "/notifications/last", { token: body.access_token }), "200");
    }),
    repeat(async () => {
      const { token } = await registeredUser({}, apis);
      expectOutcome(await publicApi("PUT", "/self", { token, json: { name: "Grace" } }), "200");
    }),
  ]);

  const missingIn = (events: unknown) => {
    const found = JSON.stringify(events);
    return sent.filter((text) => !found.includes(text));
  };
  return {
    /** Every message has reached both sockets, which are still open, and is stored for the device of the first. */
    async expectNothingLost() {
      await running;
      expect(sent.length).toBeGreaterThan(100);
      // Each version that stopped while it received left a message, and its group, hidden for the time-out of each queue.
      const { events, deliveries } = queues;
      const hidden = events.visibilityTimeoutSeconds + deliveries.visibilityTimeoutSeconds;
      const patience = { timeoutSeconds: 2 * hidden + 30 };
      await eventually(() => expect(missingIn(liveSocket.frames)).toEqual([]), patience);
      await eventually(() => expect(missingIn(eventSocket.frames)).toEqual([]), patience);
      expect(missingIn(await storedEvents(apis, live, toLive))).toEqual([]);
      await Promise.all([liveSocket.close(), eventSocket.close()]);
    },
  };
}

async function newDevice(
  { publicApi }: Client,
  { token }: User,
  capabilities: string[] = [],
): Promise<string> {
  const json = { type: "permanent", prekeys: newPrekeys(3), lastkey: lastPrekey(), capabilities };
  return expectOutcome(await publicApi("POST", "/v9/clients", { token, json }), "201").body.id;
}

async function storedEvents({ publicApi }: Client, { cookie }: User, clientId: string): Promise<unknown[]> {
  const { body } = expectOutcome(await publicApi("POST", "/access", { cookie }), "200");
  const stored: { id: string; payload: unknown }[] = [];
  for (let hasMore = true; hasMore; ) {
    const last = stored.at(-1)?.id;
    const query = new URLSearchParams({ size: "1000", client: clientId, ...(last && { since: last }) });
    const page = await publicApi("GET", `/notifications?${query}`, { token: body.access_token });
    stored.push(...expectOutcome(page, "200").body.notifications);
    hasMore = page.body.has_more;
  }
  return stored;
}
