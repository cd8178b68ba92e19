import { describe, expect, it } from "vitest";
import { BucketReader } from "#lib/personal-data/bucket-reader.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { api, internalApi } from "../../support/api.ts";
import { assetPath, fetchBytes, mixed, type UploadedAsset, upload } from "../../support/assets.ts";
import { eventually } from "../../support/eventually.ts";
import { type Fault, injectFaults } from "../../support/faults.ts";
import { ownStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { type UploadParts, uploadBody } from "../../support/upload-body.ts";
import { logIn, newUser, type User } from "../../support/users.ts";

const setPictures = async ({ token }: User, assets: readonly UploadedAsset[]) => {
  const json = { assets: assets.map(({ key }) => ({ key, type: "image", size: "complete" })) };
  expect((await api("PUT", "/self", { token, json })).status).toBe(200);
};

const inspect = (key: string) => internalApi("GET", `/i/assets/${key}`);
const namesOfObjects = async (prefix: string) => {
  const names = [];
  const reader = new BucketReader(new Map([["assets", `${prefix}-assets`]]));
  for await (const { name } of reader.objects("assets")) names.push(name.split("/").at(-1));
  return names.sort();
};
const isGone = (key: string) => eventually(async () => expect((await inspect(key)).status).toBe(404));

it("the deletion of an account removes the pictures of its profile at once, but neither what it may have sent nor what others own", async () => {
  const [user, other] = await Promise.all([newUser(), newUser()]);
  const options = { public: true };
  const [picture, sent, foreign] = [
    await upload(user, { options }),
    await upload(user),
    await upload(other, { options }),
  ];
  await setPictures(user, [picture, foreign, { key: "3-2-none", token: "" }]);
  const { body: address } = await inspect(picture.key);
  await api("DELETE", "/self", { token: user.token, json: { password: user.password } });
  await isGone(picture.key);
  expect((await fetchBytes(address)).status).toBe(404);
  for (const { key } of [sent, foreign]) expect((await inspect(key)).status).toBe(200);
});

describe("the files of a deleted account", () => {
  /** Users of a stack with a clock of its own, and what they do with files. */
  async function withFiles() {
    const stack = await ownStack();
    const [ada, ben] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const tokenOf = async ({ email, password }: User): Promise<string> =>
      (await logIn({ email, password }, { apis: stack })).body.access_token;
    const send = async (user: User, parts: UploadParts = {}): Promise<UploadedAsset> => {
      const request = { token: await tokenOf(user), headers: mixed, body: uploadBody(parts) };
      return (await stack.publicApi("POST", "/v8/assets", request)).body;
    };
    const read = async (user: User, { key, token }: UploadedAsset) => {
      const path = `${assetPath(key)}?${new URLSearchParams({ asset_token: token })}`;
      expect((await stack.publicApi("GET", path, { token: await tokenOf(user) })).status).toBe(302);
    };
    const statusOf = async (key: string) => (await stack.internalApi("GET", `/i/assets/${key}`)).status;
    const orders = async () => (await itemsMentioning(ada.id, stack.prefix, ["outbox"])).outbox ?? [];
    /** Delete the account, until only its files are left. */
    const erase = async () => {
      const json = { password: ada.password };
      await stack.publicApi("DELETE", "/self", { token: await tokenOf(ada), json });
      await eventually(async () =>
        expect(await orders()).toEqual([
          expect.objectContaining({ payload: expect.stringContaining("isSecondLook") }),
        ]),
      );
      stack.advance(61);
    };
    const later = async (days: number) => {
      stack.advance(days * 86_400);
      await stack.invoke("outbox-sweeper", {});
    };
    return { stack, ada, ben, send, read, statusOf, orders, erase, later };
  }

  it("are removed once nobody can learn of them any more, except those that others have read", async () => {
    const { stack, ada, ben, send, read, statusOf, orders, erase, later } = await withFiles();
    const [unsent, sent, own] = [await send(ada), await send(ada), await send(ben)];
    const open = await send(ada, { options: { retention: "eternal", public: true } });
    await read(ada, unsent);
    await read(ben, sent);
    await erase();
    await eventually(async () => expect((await orders())[0]?.payload).toContain("files"));
    for (const { key } of [unsent, open, sent, own]) expect(await statusOf(key)).toBe(200);

    await later(29);
    const address = (await stack.internalApi("GET", `/i/assets/${sent.key}`)).body;
    for (const { key } of [unsent, open]) await eventually(async () => expect(await statusOf(key)).toBe(404));
    expect((await fetchBytes(address)).status).toBe(200);
    expect(await namesOfObjects(stack.prefix)).toEqual([sent, own].map(({ key }) => key.slice(4)).sort());
    for (const { key } of [sent, own]) expect(await statusOf(key)).toBe(200);
    await eventually(async () => expect(await orders()).toEqual([]));
  });

  it("are looked at again as long as others may read them for the first time", async () => {
    const { stack, ada, ben, send, read, statusOf, orders, erase, later } = await withFiles();
    const old = await send(ada);
    stack.advance(20 * 86_400);
    const [recent, late] = [await send(ada), await send(ada)];
    await erase();
    await eventually(async () => expect((await orders())[0]?.payload).toContain("files"));
    await later(9);
    await eventually(async () => expect(await statusOf(old.key)).toBe(404));
    expect(await statusOf(recent.key)).toBe(200);
    await read(ben, late);
    await later(20);
    await eventually(async () => expect(await statusOf(recent.key)).toBe(404));
    expect(await statusOf(late.key)).toBe(200);
    await eventually(async () => expect(await orders()).toEqual([]));
  });
});

it("a replaced profile picture stays, because clients delete it themselves", async () => {
  const user = await newUser();
  const [former, next] = [await upload(user), await upload(user)];
  for (const picture of [former, next]) await setPictures(user, [picture]);
  expect((await inspect(former.key)).status).toBe(200);
});

it("the deletion of a team removes the pictures of its members", async () => {
  const team = await newTeam();
  const member = await team.add();
  const pictures = [await upload(team.owner), await upload(member)] as const;
  await setPictures(team.owner, [pictures[0]]);
  await setPictures(member, [pictures[1]]);
  const { token, password } = team.owner;
  expect((await api("DELETE", `/teams/${team.id}`, { token, json: { password } })).status).toBe(202);
  for (const { key } of pictures) await isGone(key);
});

it("a removal that failed half-way is completed", async () => {
  const stack = await stackWith({ outboxResendSeconds: 1 });
  const user = await newUser({}, stack);
  const request = { token: user.token, headers: mixed, body: uploadBody() };
  const { key } = (await stack.publicApi("POST", "/v8/assets", request)).body;
  const assets = [{ key, type: "image" }];
  await stack.publicApi("PUT", "/self", { token: user.token, json: { assets } });
  const faults = new Set<string>();
  const endFaults = injectFaults(({ action, service, path, body }): Fault | undefined => {
    const isRecord = action === "TransactWriteItems" && /"TableName":"[^"]*-assets"/.test(body);
    const isObject = service === "s3" && action === "DELETE" && path.includes(key.slice(4));
    if (!(isRecord || isObject) || faults.has(action)) return undefined;
    faults.add(action);
    return isObject ? "dies-before" : "dies-after";
  });
  const json = { password: user.password };
  await stack.publicApi("DELETE", "/self", { token: user.token, json });
  await eventually(async () => {
    expect((await stack.internalApi("GET", `/i/assets/${key}`)).status).toBe(404);
    expect([...faults]).toEqual(["DELETE", "TransactWriteItems"]);
  });
  endFaults();
});

it("a picture that cannot be removed does not prevent the rest of the account's deletion", async () => {
  const stack = await stackWith({ outboxResendSeconds: 1 });
  const user = await newUser({}, stack);
  const { token, password } = user;
  const request = { token, headers: mixed, body: uploadBody() };
  const { key } = (await stack.publicApi("POST", "/v8/assets", request)).body;
  await stack.publicApi("PUT", "/self", { token, json: { assets: [{ key, type: "image" }] } });
  await stack.publicApi("PUT", "/properties/colour", { token, json: "blue" });
  const endFaults = injectFaults(({ action, service }) =>
    service === "s3" && action === "DELETE" ? "denied" : undefined,
  );
  await stack.publicApi("DELETE", "/self", { token, json: { password } });
  await eventually(async () =>
    expect((await itemsMentioning(user.id, stack.prefix)).properties).toBeUndefined(),
  );
  expect((await stack.internalApi("GET", `/i/assets/${key}`)).status).toBe(200);
  endFaults();
});

it("an upload or deletion that fails half-way leaves nothing that its owner could find but not delete", async () => {
  const stack = await stackWith();
  const user = await newUser({}, stack);
  const post = () =>
    stack.publicApi("POST", "/v8/assets", { token: user.token, headers: mixed, body: uploadBody() });
  const failing = (method: string) =>
    injectFaults(({ service, action, path }) =>
      service === "s3" && action === method && path.includes(stack.prefix) ? "dies-before" : undefined,
    );

  const endUploadFaults = failing("PUT");
  await expect(post()).rejects.toThrow("answered 500");
  endUploadFaults();

  const { key, domain } = (await post()).body;
  const remove = () => stack.publicApi("DELETE", `/v8/assets/${domain}/${key}`, { token: user.token });
  const endDeletionFaults = failing("DELETE");
  await expect(remove()).rejects.toThrow("answered 500");
  endDeletionFaults();
  expect((await remove()).status).toBe(200);
  expect((await remove()).status).toBe(404);
});
