import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { type Directory, newDirectory, newUserFields } from "../../support/directory.ts";
import { all, only, race } from "../../support/races.ts";
import { stackWith } from "../../support/stack-with.ts";

let directory: Directory;
let other: Directory;

beforeAll(async () => {
  [directory, other] = await Promise.all([
    newDirectory({ hasProvider: true }),
    newDirectory({ hasProvider: true }),
  ]);
});

/** A local part that nobody else has. */
const newLocalPart = () => `ada.${randomUUID().slice(0, 18)}`;
const handleOf = async ({ id }: { id: string }): Promise<string> =>
  (await internalApi("GET", `/i/users?ids=${id}`)).body[0].handle;
const idsFoundBy = async (by: Directory, userName: string): Promise<string[]> =>
  (await by.find(`userName eq "${userName}"`)).body.Resources.map(({ id }: { id: string }) => id);

async function newAddressee(userName: string, by = directory) {
  const answer = await by.create(newUserFields({ userName }));
  expect(outcome(answer)).toBe("201");
  return answer.body;
}

describe.concurrent("a user name that is an email address", () => {
  it("is returned as it was sent, found in any case, and gives the user its local part as handle", async () => {
    const local = newLocalPart();
    const userName = `${local.toUpperCase()}+x'Y@Example.COM`;
    const user = await newAddressee(userName);
    expect(user.userName).toBe(userName);
    expect(await handleOf(user)).toBe(`${local}xy`);
    expect((await directory.get(user.id)).body).toEqual(user);
    for (const name of [userName, userName.toLowerCase(), userName.toUpperCase()])
      expect(await idsFoundBy(directory, name), name).toEqual([user.id]);
    expect(await idsFoundBy(directory, `${local}xy`)).toEqual([]);
    expect(await idsFoundBy(other, userName)).toEqual([]);
  });

  it("is accepted with any character that an address may have", async () => {
    const id = randomUUID().slice(0, 8);
    for (const userName of [
      `ada_partner.example#EXT#@${id}.onexample.com`,
      `ada.${id}@пример.рф`,
      `${id}&co@x--y.xn--p1ai`,
    ]) {
      const user = await newAddressee(userName);
      expect(user.userName).toBe(userName);
      expect(await idsFoundBy(directory, userName)).toEqual([user.id]);
    }
  });

  it("is unique in its team, without regard to case, and only there", async () => {
    const userName = `${newLocalPart()}@example.com`;
    await newAddressee(userName);
    for (const same of [userName, userName.toUpperCase()]) {
      const { status, body } = await directory.create(newUserFields({ userName: same }));
      expect([status, body.scimType]).toEqual([409, "uniqueness"]);
    }
    expect((await newAddressee(userName, other)).userName).toBe(userName);
  });

  it("gives a handle with digits while another user has that of the local part, or nobody may have it", async () => {
    const local = newLocalPart();
    const first = await newAddressee(`${local}@example.com`);
    const second = await newAddressee(`${local}@example.org`);
    expect(await handleOf(first)).toBe(local);
    expect(await handleOf(second)).toMatch(new RegExp(`^${local}\\d{4,}$`));
    const short = await newAddressee(`a@${randomUUID()}.example`);
    expect(await handleOf(short)).toMatch(/^a\d{4,}$/);
    const nothing = await newAddressee(`{}@${randomUUID()}.example`);
    expect(await handleOf(nothing)).toMatch(/^user(\d{4,})?$/);
  });

  it("keeps the handle until the local part changes", async () => {
    const [local, next] = [newLocalPart(), newLocalPart()];
    await newAddressee(`${local}@example.com`, other);
    const user = await newAddressee(`${local}@example.com`);
    const handle = await handleOf(user);
    expect(handle).not.toBe(local);
    const rename = async (userName: string) => {
      const { status, body } = await directory.patch(user.id, [
        { op: "replace", path: "userName", value: userName },
      ]);
      expect([status, body.userName]).toEqual([200, userName]);
      return handleOf(user);
    };
    expect(await rename(`${local.toUpperCase()}@EXAMPLE.com`)).toBe(handle);
    expect(await rename(`${local}@new.example`)).toBe(handle);
    expect(await rename(`${next}@new.example`)).toBe(next);
    expect(await idsFoundBy(directory, `${next}@NEW.example`)).toEqual([user.id]);
    expect(await idsFoundBy(directory, `${local}@example.com`)).toEqual([]);
    await newAddressee(`${local}@example.com`);
  });

  it("can be replaced by a handle, and a handle by it", async () => {
    const [local, handle] = [newLocalPart(), newLocalPart()];
    const user = await newAddressee(`${local}@example.com`);
    const fields = { externalId: user.externalId, displayName: user.displayName };
    const named = await directory.replace(user.id, { ...fields, userName: handle });
    expect([named.status, named.body.userName, await handleOf(user)]).toEqual([200, handle, handle]);
    expect(await idsFoundBy(directory, `${local}@example.com`)).toEqual([]);
    const back = await directory.replace(user.id, { ...fields, userName: `${local}@example.com` });
    expect([back.body.userName, await handleOf(user)]).toEqual([`${local}@example.com`, local]);
  });

  it("leaves a user unchanged when a client sends back what it received", async () => {
    const user = await newAddressee(`${newLocalPart()}@example.com`);
    expect((await directory.replace(user.id, user)).body).toEqual(user);
    const { externalId, userName, displayName } = user;
    expect((await directory.replace(user.id, { externalId, userName, displayName })).body).toEqual(user);
  });

  it("is free again when the user is deleted", async () => {
    const userName = `${newLocalPart()}@example.com`;
    const { id } = await newAddressee(userName);
    expect((await directory.remove(id)).status).toBe(204);
    expect(await idsFoundBy(directory, userName)).toEqual([]);
    expect((await newAddressee(userName)).id).not.toBe(id);
  });

  it("finds the member with this address whom no directory manages yet, and the member keeps the handle", async () => {
    const member = await directory.team.add();
    const handle = newLocalPart();
    await api("PUT", "/self/handle", { token: member.token, json: { handle } });
    const { email } = member;
    expect(await idsFoundBy(other, email)).toEqual([]);
    const [user] = (await directory.find(`userName eq "${email.toUpperCase()}"`)).body.Resources;
    expect(user).toMatchObject({ id: member.id, userName: email.toUpperCase(), externalId: email });
    expect(await handleOf(member)).toBe(handle);
    const { status, body } = await directory.replace(member.id, { ...user, userName: email });
    expect([status, body.userName, await handleOf(member)]).toEqual([200, email, handle]);
  });

  it("does not find a user of the directory by another attribute", async () => {
    const { externalId } = (await directory.create()).body;
    expect(await idsFoundBy(directory, externalId)).toEqual([]);
  });

  it("belongs to an invitee, too", async () => {
    const stack = await stackWith({ scim: { invitesUsers: true } });
    const inviting = await newDirectory({}, stack);
    const local = newLocalPart();
    const user = await newAddressee(`${local}@example.com`, inviting);
    expect(user).toMatchObject({ userName: `${local}@example.com`, active: false });
    expect(await idsFoundBy(inviting, `${local}@EXAMPLE.com`)).toEqual([user.id]);
    const { status, body } = await inviting.create(newUserFields({ userName: user.userName }));
    expect([status, body.scimType]).toEqual([409, "uniqueness"]);
  });
});

describe.concurrent("concurrent creations", () => {
  race("give a user name that is an address to one user of a team", {
    given: async () => `${newLocalPart()}@example.com`,
    contenders: 12,
    act: (userName) => directory.create(newUserFields({ userName })),
    outcomes: only("201", "409 scim-error"),
    holds: async (userName, answers) => {
      const winner = answers.find(({ status }) => status === 201);
      expect(await idsFoundBy(directory, userName)).toEqual([winner?.body.id]);
    },
  });

  race("give handles of their own to users with one local part", {
    given: async () => newLocalPart(),
    contenders: 8,
    act: (local, index) => directory.create(newUserFields({ userName: `${local}@${index}.example` })),
    outcomes: all("201"),
    holds: async (_, answers) => {
      const handles = await Promise.all(answers.map(({ body }) => handleOf(body)));
      expect(new Set(handles).size).toBe(answers.length);
    },
  });
});
