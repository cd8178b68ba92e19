import { describe, expect, it } from "vitest";
import { BucketReader } from "#lib/personal-data/bucket-reader.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { assetPath, fetchBytes, locationOf } from "../../support/assets.ts";
import { browserTest, hasBrowser, inBrowser } from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";
import { ownStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

interface Part {
  readonly bytes: number;
  readonly url: string;
}
interface Begun {
  readonly key: string;
  readonly token: string;
  readonly expires?: string;
  readonly parts: readonly Part[];
}
type Caller = Pick<User, "token">;
type Api = typeof api;

const partBytes = 5 * 1024 ** 2;
/** Content of two parts. */
const content = Buffer.alloc(partBytes + 1000, "0123456789abcde");

const begin = ({ token }: Caller, json: object, send: Api = api) =>
  send("POST", "/v8/assets/uploads", { token, json });
const addresses = ({ token }: Caller, key: string, send: Api = api) =>
  send("GET", `/v8/assets/uploads/${key}/parts`, { token });
const begun = async (caller: Caller, json: object = {}, send: Api = api): Promise<Begun> => {
  const { status, body, headers } = await begin(caller, { bytes: content.length, ...json }, send);
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/assets/uploads/${body.key}`);
  const [first, second, ...others] = (await addresses(caller, body.key, send)).body;
  expect(others).toEqual([]);
  return {
    ...body,
    parts: [
      { bytes: partBytes, url: first },
      { bytes: 1000, url: second },
    ],
  };
};
const complete = ({ token }: Caller, key: string, send: Api = api) =>
  send("POST", `/v8/assets/uploads/${key}/complete`, { token });
const put = async (url: string, body: Uint8Array<ArrayBuffer>) =>
  (await fetch(url, { method: "PUT", body })).status;

async function sendParts(parts: readonly Part[], bytes = content): Promise<void> {
  let start = 0;
  for (const { url, bytes: length } of parts) {
    expect(await put(url, bytes.subarray(start, start + length))).toBe(200);
    start += length;
  }
}

describe("an upload by signed addresses", () => {
  it("makes a file of the parts that others with its token can read", async () => {
    const [ada, ben] = await Promise.all([newUser(), newUser()]);
    const body = await begun(ada, { retention: "volatile" });
    expect(body).toMatchObject({
      key: expect.stringMatching(/^3-3-/),
      token: expect.any(String),
      expires: expect.any(String),
    });
    for (const { url } of body.parts) expect(new URL(url).searchParams.get("X-Amz-Expires")).toBe("3600");
    await sendParts(body.parts);
    const path = `${assetPath(body.key)}?${new URLSearchParams({ asset_token: body.token })}`;
    for (const { token } of [ada, ben]) expect((await api("GET", path, { token })).status).toBe(404);
    expect((await complete(ada, body.key)).status).toBe(200);

    const { bytes, headers } = await fetchBytes(locationOf(await api("GET", path, { token: ben.token })));
    expect(bytes.equals(content)).toBe(true);
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
    });
    expect((await complete(ada, body.key)).status).toBe(200);
    const [record] = (await itemsMentioning(body.key, "test", ["assets"])).assets ?? [];
    expect(record).toMatchObject({ expiresAtSeconds: Math.floor(Date.parse(body.expires ?? "") / 1000) });
    expect(record).not.toHaveProperty("uploadId");
  });

  it("is counted once when it is completed twice concurrently", async () => {
    const { id, owner } = await newTeam();
    const { key, parts } = await begun(owner);
    await sendParts(parts);
    const answers = await Promise.all([complete(owner, key), complete(owner, key)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const series = (await itemsMentioning(id, "test", ["statistics"])).statistics ?? [];
    expect(series).toContainEqual(expect.objectContaining({ bytes: content.length, files: 1 }));
  });

  it("is complete only with all of its bytes", async () => {
    const ada = await newUser();
    const { key, parts } = await begun(ada);
    const [first, second] = parts as [Part, Part];
    expect(outcome(await complete(ada, key))).toBe("400 incomplete-body");
    expect(await put(first.url, content.subarray(0, partBytes))).toBe(200);
    expect(outcome(await complete(ada, key))).toBe("400 incomplete-body");
    for (const length of [999, 1001])
      expect(await put(second.url, content.subarray(0, length)), String(length)).toBe(403);
    expect(outcome(await complete(ada, key))).toBe("400 incomplete-body");
    expect(await put(second.url, content.subarray(partBytes))).toBe(200);
    expect((await complete(ada, key)).status).toBe(200);
  });

  it("is unknown to others, and no file before it is complete", async () => {
    const [ada, ben] = await Promise.all([newUser(), newUser()]);
    const { key, parts } = await begun(ada);
    await sendParts(parts);
    for (const call of [complete, addresses]) expect(outcome(await call(ben, key))).toBe("404 not-found");
    for (const [method, path] of [
      ["DELETE", assetPath(key)],
      ["POST", `/v8/assets/${key}/token`],
      ["DELETE", `/v8/assets/${key}/token`],
    ] as const)
      expect(outcome(await api(method, path, { token: ada.token })), `${method} ${path}`).toBe(
        "404 not-found",
      );
    for (const unknown of ["3-2-8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60", "nothing"])
      for (const call of [complete, addresses])
        expect(outcome(await call(ada, unknown))).toBe("404 not-found");
    expect((await complete(ada, key)).status).toBe(200);
    expect(outcome(await addresses(ada, key))).toBe("404 not-found");
  });

  it("is refused to a suspended user", async () => {
    const suspended = await newUser();
    await internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await begin(suspended, { bytes: 1 }))).toBe("403 unverified-user");
  });

  it("has limits of its own, which include their values", async () => {
    const stack = await stackWith({ signedUploads: { maxTotalBytes: 2000, maxTotalBytesStrict: 1000 } });
    const [{ owner }, person] = await Promise.all([newTeam({}, stack), newUser({}, stack)]);
    const send = stack.publicApi;
    for (const [user, most] of [
      [owner, 2000],
      [person, 1000],
    ] as const) {
      expect((await begin(user, { bytes: most }, send)).status).toBe(201);
      expect(outcome(await begin(user, { bytes: most + 1 }, send))).toBe("413 client-error");
    }
    expect(outcome(await begin(person, { bytes: 1, retention: "endless" }, send))).toBe("400 bad-request");
    for (const bytes of [0, -1, 1.5, "1"])
      expect(outcome(await begin(person, { bytes }, send)), String(bytes)).toBe("400 bad-request");
  });

  it("is charged to the daily budget when it begins", async () => {
    const stack = await stackWith({ setDailyUploadBudget: { perUser: 5000 } });
    const user = await newUser({}, stack);
    const answer = () => begin(user, { bytes: 3000 }, stack.publicApi);
    expect(outcome(await answer())).toBe("201");
    expect((await answer()).status).toBe(429);
    const orders = (await itemsMentioning("arrivingKey", stack.prefix, ["outbox"])).outbox ?? [];
    const records = (await itemsMentioning(user.id, stack.prefix, ["assets"])).assets ?? [];
    const ofUser = orders.filter(({ payload }) =>
      records.some(({ assetKey }) => String(payload).includes(String(assetKey))),
    );
    expect(ofUser).toHaveLength(1);
  });

  it("is removed with its parts when it is not completed in time", async () => {
    const stack = await ownStack();
    const ada = await newUser({}, stack);
    const { key, parts } = await begun(ada, {}, stack.publicApi);
    await sendParts(parts);
    stack.advance(3 * 3600 + 60);
    await stack.invoke("outbox-sweeper", {});
    await eventually(async () => expect(await itemsMentioning(key, stack.prefix)).toEqual({}));
    const buckets = new BucketReader(new Map([["assets", `${stack.prefix}-assets`]]));
    for await (const name of buckets.unfinished("assets")) expect.fail(name);
    for await (const { name } of buckets.objects("assets")) expect.fail(name);
  });

  it("is left alone once it is complete", async () => {
    const stack = await ownStack();
    const ada = await newUser({}, stack);
    const { key, parts } = await begun(ada, {}, stack.publicApi);
    await sendParts(parts);
    expect((await complete(ada, key, stack.publicApi)).status).toBe(200);
    stack.advance(3 * 3600 + 60);
    await stack.invoke("outbox-sweeper", {});
    await eventually(async () => expect((await itemsMentioning(key, stack.prefix)).outbox).toBeUndefined());
    const address = (await stack.internalApi("GET", `/i/assets/${key}`)).body;
    expect((await fetchBytes(address)).bytes.equals(content)).toBe(true);
  });
});

describe.skipIf(!hasBrowser)("a page of another origin", inBrowser, () => {
  browserTest("sends a file in parts", async ({ newTab, newSite }) => {
    const ada = await newUser();
    const { key, parts } = await begun(ada);
    const { origin } = await newSite();
    const tab = await newTab({ javaScriptEnabled: true });
    await tab.goto(origin);
    const statuses = await tab.evaluate(
      (given) =>
        Promise.all(
          given.map(
            async ({ url, bytes }) =>
              (await fetch(url, { method: "PUT", body: new Uint8Array(bytes) })).status,
          ),
        ),
      [...parts],
    );
    expect(statuses).toEqual([200, 200]);
    expect((await complete(ada, key)).status).toBe(200);
  });
});
