import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { type Directory, extensionUrn, newDirectory, newUserFields } from "../../support/directory.ts";
import { newInvitation } from "../../support/invitations.ts";
import { newEmail, register, somePassword } from "../../support/users.ts";

let bound: Directory;
let unbound: Directory;

beforeAll(async () => {
  [bound, unbound] = await Promise.all([newDirectory({ hasProvider: true }), newDirectory()]);
});

const concurrently = <Result>(times: number, task: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => task(index)));
const counts = (answers: readonly { status: number }[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, { length }]) => [status, length]),
  );

describe.concurrent("concurrent requests of directories", () => {
  it("create one user for an external id", async () => {
    for (const directory of [bound, unbound]) {
      const externalId = newEmail();
      const answers = await concurrently(20, () => directory.create(newUserFields({ externalId })));
      expect(counts(answers)).toEqual({ 201: 1, 409: 19 });
      const winner = answers.find(({ status }) => status === 201);
      const { body } = await directory.find(`externalId eq "${externalId}"`);
      expect(body.Resources).toEqual([winner?.body]);
    }
  });

  it("give a handle to one user, of one team", async () => {
    const userName = `u.${randomUUID()}`;
    const answers = await concurrently(8, (index) =>
      (index % 2 === 0 ? bound : unbound).create(newUserFields({ userName })),
    );
    expect(counts(answers)).toEqual({ 201: 1, 409: 7 });
  });

  it("leave a team an active owner", async () => {
    const directory = await newDirectory();
    const owners = [directory.team.owner, await directory.team.add("owner")];
    const suspend = ({ id }: { id: string }) =>
      directory.patch(id, [{ op: "replace", path: "active", value: false }]);
    expect(counts(await Promise.all(owners.map(suspend)))).toEqual({ 200: 1, 403: 1 });
  });

  it("create a user for an address or let its owner accept the invitation, but not both", async () => {
    for (const directory of [bound, unbound]) {
      await concurrently(4, async () => {
        const email = newEmail();
        const { code } = await newInvitation(directory.team, { email });
        const json = { email, name: "Ada", password: somePassword, team_code: code };
        const [created, joined] = await Promise.all([
          directory.create(newUserFields({ externalId: email })),
          register(json),
        ]);
        expect(["201 then 400 invalid-invitation-code", "409 scim-error then 201"]).toContain(
          `${outcome(created)} then ${outcome(joined)}`,
        );
        const { body } = await directory.find(`externalId eq "${email}"`);
        expect(body.Resources).toMatchObject([{ id: created.body.id ?? joined.body.id, externalId: email }]);
      });
    }
  });

  it("keep each of their changes of a user", async () => {
    const { body: user } = await bound.create();
    const answers = await concurrently(12, (index) =>
      bound.patch(user.id, [{ op: "add", path: `${extensionUrn}:Field${index}`, value: String(index) }]),
    );
    expect(counts(answers)).toEqual({ 200: 12 });
    const { body } = await bound.get(user.id);
    expect(Object.keys(body[extensionUrn])).toHaveLength(12);
  });

  it("replace and patch a user one after the other", async () => {
    const { body: user } = await bound.create();
    const replacement = { ...user, displayName: "Bea", [extensionUrn]: { Title: "Chief" } };
    const [replaced, patched] = await Promise.all([
      bound.replace(user.id, replacement),
      bound.patch(user.id, [{ op: "replace", path: "active", value: false }]),
    ]);
    expect([replaced.status, patched.status]).toEqual([200, 200]);
    const { body } = await bound.get(user.id);
    expect(body).toMatchObject({ displayName: "Bea", [extensionUrn]: { Title: "Chief" } });
    expect([replaced.body, patched.body]).toContainEqual(body);
  });

  it("delete a user and create the same user again", async () => {
    const fields = newUserFields();
    const { body: user } = await bound.create(fields);
    const [removed, ...created] = await Promise.all([
      bound.remove(user.id),
      ...Array.from({ length: 6 }, () => bound.create(fields)),
    ]);
    expect(removed.status).toBe(204);
    expect(new Set(Object.keys(counts(created)))).toEqual(
      new Set(Object.keys(counts(created)).filter((status) => ["201", "409"].includes(status))),
    );
    expect(counts(created)["201"] ?? 0).toBeLessThanOrEqual(1);
    const { body } = await bound.find(`externalId eq "${fields.externalId}"`);
    expect(body.Resources).toHaveLength(counts(created)["201"] ?? 0);
    expect([201, 409]).toContain((await bound.create(fields)).status);
  });

  it("do not swap the handles of two users, because neither is free", async () => {
    const [one, other] = await Promise.all([bound.create(), bound.create()]);
    const answers = await Promise.all([
      bound.replace(one.body.id, { ...one.body, userName: other.body.userName }),
      bound.replace(other.body.id, { ...other.body, userName: one.body.userName }),
    ]);
    expect(counts(answers)).toEqual({ 409: 2 });
  });

  it("create many users of one team", async () => {
    const directory = await newDirectory({ hasProvider: true });
    const answers = await concurrently(16, () => directory.create());
    expect(counts(answers)).toEqual({ 201: 16 });
  });
});
