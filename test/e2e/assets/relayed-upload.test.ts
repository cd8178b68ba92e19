// Relays of processes of their own: only there do they take signals, and die.
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BucketReader } from "#lib/personal-data/bucket-reader.ts";
import { entranceHeaders } from "#shared/platform/http/entrance.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { assetPath, fetchBytes, locationOf, mixed } from "../../support/assets.ts";
import { eventually } from "../../support/eventually.ts";
import { forkRelay, killRelays } from "../../support/fork-relay.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { newTeam } from "../../support/teams.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { newUser } from "../../support/users.ts";

const origin = "https://app.parley.example";
const content = Buffer.alloc(6 * 1024 ** 2, "0123456789abcde");
const body = uploadBody({ content });

type ForkedRelay = Awaited<ReturnType<typeof forkRelay>>;
let stack: OwnStack;
let relay: ForkedRelay;
let member: { id: string; token: string };
let person: { id: string; token: string };

beforeAll(async () => {
  stack = await ownStack({ maxTotalBytesStrict: 1000, corsAllowedOrigins: [origin] });
  [relay, { owner: member }, person] = await Promise.all([
    forkRelay(stack, { uploads: 2 }),
    newTeam({}, stack),
    newUser({}, stack),
  ]);
});
afterAll(killRelays);

/** Sends a request to a relay as the distribution does. */
function open(
  at: ForkedRelay,
  token: string,
  headers: Record<string, string | number> = {},
  { method = "POST", path = "/v8/assets" } = {},
): ClientRequest {
  const sent = request(at.publicUrl + path, {
    method,
    headers: {
      ...mixed,
      authorization: `Bearer ${token}`,
      [entranceHeaders.secret]: stack.entranceSecret,
      [entranceHeaders.viewer]: "192.0.2.1",
      origin,
      ...headers,
    },
  });
  sent.on("error", () => undefined);
  return sent;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: { readonly key: string; readonly label?: string };
}

async function answerTo(sent: ClientRequest): Promise<Answer> {
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: (await json(answer)) as Answer["body"] };
}

const recordsOf = async (id: string) => (await itemsMentioning(id, stack.prefix, ["assets"])).assets ?? [];

const from = (address: string) => ({ [entranceHeaders.viewer]: address });

/** Begin an upload whose last bytes are missing. */
async function begin(
  at: ForkedRelay,
  { id, token }: { id: string; token: string },
  headers: Record<string, string> = {},
): Promise<ClientRequest> {
  const before = (await recordsOf(id)).length;
  const sent = open(at, token, { "content-length": body.length, ...headers });
  sent.write(body.subarray(0, -1000));
  await eventually(async () => expect(await recordsOf(id)).toHaveLength(before + 1));
  return sent;
}

describe("a relay", () => {
  it("accepts a file as the function does", async () => {
    const answer = await answerTo(open(relay, member.token).end(body));
    expect(answer.status).toBe(201);
    const download = await stack.publicApi("GET", assetPath(answer.body.key), { token: member.token });
    expect((await fetchBytes(locationOf(download))).bytes.equals(content)).toBe(true);
  });

  it.each<[string, Record<string, string>, () => string, number, string]>([
    ["that bypasses the entrance", { [entranceHeaders.secret]: "x" }, () => member.token, 403, "forbidden"],
    ["of a stranger", {}, () => "x", 401, "unauthorized"],
    ["of another type", { "content-type": "image/png" }, () => member.token, 415, "unsupported-media-type"],
    ["that is too large", {}, () => person.token, 413, "client-error"],
  ])("refuses an upload %s, so that pages can read why", async (_, headers, token, status, label) => {
    const answer = await answerTo(open(relay, token(), headers).end(body));
    expect([answer.status, answer.body.label]).toEqual([status, label]);
    expect(answer.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
    });
  });

  it("answers other methods of these paths as the function does", async () => {
    const answer = await answerTo(open(relay, member.token, {}, { method: "GET" }).end());
    expect([answer.status, answer.body.label]).toEqual([404, "no-endpoint"]);
  });

  it("refuses uploads that it has no room for, so that clients repeat them", async () => {
    const [{ owner }, { owner: other }] = await Promise.all([newTeam({}, stack), newTeam({}, stack)]);
    const first = await begin(relay, owner);
    const second = await begin(relay, other, from("192.0.2.2"));
    const { status, headers } = await answerTo(open(relay, member.token, from("192.0.2.3")).end(body));
    expect([status, headers["retry-after"]]).toEqual([503, "5"]);
    for (const sent of [first, second]) {
      sent.end(body.subarray(-1000));
      expect((await answerTo(sent)).status).toBe(201);
    }
  });

  it("keeps places for others, however many uploads one person begins", async () => {
    const roomy = await forkRelay(stack, { uploads: 40 });
    const { owner } = await newTeam({}, stack);
    const [first] = [await begin(roomy, owner), await begin(roomy, owner)];
    const again = () => answerTo(open(roomy, owner.token, from("192.0.2.2")).end(body));
    const refused = await again();
    expect([refused.status, refused.body.label, refused.headers["retry-after"]]).toEqual([
      429,
      "too-many-requests",
      "5",
    ]);
    expect((await answerTo(open(roomy, member.token).end(body))).status).toBe(201);
    first.end(body.subarray(-1000));
    expect((await answerTo(first)).status).toBe(201);
    expect((await again()).status).toBe(201);
  });

  it("keeps places for others, however many people of one network begin uploads", async () => {
    const small = await forkRelay(stack, { uploads: 4 });
    const teams = await Promise.all([1, 2, 3].map(() => newTeam({}, stack)));
    for (const [index, { owner }] of teams.slice(0, 2).entries())
      await begin(small, owner, from(`2001:db8:0:${index}::1`));
    const owner = teams[2]?.owner ?? member;
    const refused = await answerTo(open(small, owner.token, from("2001:db8:0:2::1")).end(body));
    expect([refused.status, refused.body.label]).toEqual([429, "too-many-requests"]);
    expect((await answerTo(open(small, owner.token, from("192.0.2.1")).end(body))).status).toBe(201);
  });

  it("that shuts down lets an upload finish, and accepts no other", async () => {
    const ending = await forkRelay(stack, { uploads: 2, drainSeconds: 60 });
    const { owner } = await newTeam({}, stack);
    const sent = await begin(ending, owner);
    const ended = ending.stop();
    await eventually(async () => {
      const answer = await answerTo(open(ending, member.token).end(body.subarray(0, 10)));
      expect(answer.status).toBe(503);
    });
    sent.end(body.subarray(-1000));
    expect((await answerTo(sent)).status).toBe(201);
    expect(await ended).toBe(0);
  });

  it("that runs out of time refuses an incomplete upload, and leaves nothing of it", async () => {
    const ending = await forkRelay(stack, { uploads: 1, drainSeconds: 0.1 });
    const { owner } = await newTeam({}, stack);
    const answer = answerTo(await begin(ending, owner));
    expect(await ending.stop()).toBe(0);
    const { status, headers } = await answer;
    expect([status, headers["retry-after"]]).toEqual([503, "5"]);
    expect(await recordsOf(owner.id)).toEqual([]);
  });

  it.each([
    ["while it receives a file", body.subarray(0, -1000)],
    ["when it has received all of it", body],
  ])("that dies %s leaves nothing that lasts", async (_, received) => {
    const dying = await forkRelay(stack, { uploads: 1 });
    const { owner } = await newTeam({}, stack);
    const sent = open(dying, owner.token, { "content-length": body.length });
    sent.write(received);
    await eventually(async () => expect(await recordsOf(owner.id)).toHaveLength(1));
    await dying.kill();
    const [record] = await recordsOf(owner.id);
    const key = String(record?.assetKey);
    const path = assetPath(key);
    const find = () => stack.publicApi("GET", path, { token: owner.token });
    if (record?.state === "arriving") expect((await find()).status).toBe(404);
    stack.advance(3 * 3600 + 60);
    await stack.invoke("outbox-sweeper", {});
    await eventually(async () => expect((await itemsMentioning(key, stack.prefix)).outbox).toBeUndefined());
    const buckets = new BucketReader(new Map([["assets", `${stack.prefix}-assets`]]));
    const stored = [];
    for await (const { name } of buckets.objects("assets")) stored.push(name);
    for await (const name of buckets.unfinished("assets")) stored.push(name);
    const isStored = stored.some((name) => name.endsWith(key.slice(4)));
    expect(isStored).toBe((await recordsOf(owner.id)).length > 0);
    if (record?.state === "arriving") expect(isStored).toBe(false);
  });
});
