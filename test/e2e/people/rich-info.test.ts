import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, register, type User } from "../../support/users.ts";

interface Field {
  readonly type: string;
  readonly value: string;
}

const read = (reader: User, { id }: Pick<User, "id">, version = 8) =>
  api("GET", `/v${version}/users/${id}/rich-info`, { token: reader.token });
const write = ({ id }: Pick<User, "id">, json: unknown) =>
  internalApi("PUT", `/i/users/${id}/rich-info`, { json });
const writeFields = (user: Pick<User, "id">, fields: readonly Field[], version = 0) =>
  write(user, { rich_info: { version, fields } });

let member: User;
let teammate: User;
let stranger: User;
let teamless: User;

beforeAll(async () => {
  const [team, otherTeam, person] = await Promise.all([newTeam(), newTeam(), newUser()]);
  [member, teammate] = await Promise.all([team.add(), team.add()]);
  stranger = otherTeam.owner;
  teamless = person;
});

describe.concurrent("rich info", () => {
  it("is empty until it is set", async () => {
    for (const version of [0, 1, 6, 8, 9]) {
      const { status, body } = await read(member, teammate, version);
      expect([status, body]).toEqual([200, { version: 0, fields: [] }]);
    }
    const unprefixed = await api("GET", `/users/${teammate.id}/rich-info`, { token: member.token });
    expect(unprefixed.body).toEqual({ version: 0, fields: [] });
  });

  it("can be read by its user and by teammates, in the order in which it was set", async () => {
    const team = await newTeam();
    const [user, reader, partner] = await Promise.all([team.add(), team.add(), team.add("partner")]);
    const fields = [
      { type: "Title", value: "Chief" },
      { type: "Department", value: "Sales & Marketing" },
      { type: "title 2", value: "😀" },
    ];
    expect((await writeFields(user, fields, 7)).status).toBe(200);
    for (const someone of [user, reader, partner, team.owner]) {
      expect((await read(someone, user)).body).toEqual({ version: 7, fields });
    }
    await writeFields(user, []);
    expect((await read(reader, user)).body).toEqual({ version: 0, fields: [] });
  });

  it("is refused with 403 to members of other teams and to users without a team", async () => {
    const refused = "403 insufficient-permissions";
    expect(outcome(await read(stranger, member))).toBe(refused);
    expect(outcome(await read(member, stranger))).toBe(refused);
    expect(outcome(await read(teamless, member))).toBe(refused);
    expect(outcome(await read(member, teamless))).toBe(refused);
  });

  it("of a user without a team is refused even to that user", async () => {
    const user = await newUser();
    await writeFields(user, [{ type: "a", value: "b" }]);
    expect(outcome(await read(user, user))).toBe("403 insufficient-permissions");
    const { body: anonymous } = await register({});
    expect(outcome(await read(user, anonymous))).toBe("403 insufficient-permissions");
  });

  it("returns 404 not-found for an unknown user, and for an unknown caller", async () => {
    for (const reader of [member, teamless]) {
      expect(outcome(await read(reader, { id: randomUUID() }))).toBe("404 not-found");
    }
    const asNobody = await internalApi("GET", `/users/${member.id}/rich-info`, {
      headers: { "Z-User": randomUUID() },
    });
    expect(outcome(asNobody)).toBe("404 not-found");
  });

  it("requires a token and a well-formed user id", async () => {
    expect((await api("GET", `/v8/users/${member.id}/rich-info`)).status).toBe(401);
    expect(outcome(await read(member, { id: "x" }))).toBe("400 bad-request");
  });
});

describe.concurrent("PUT /i/users/{uid}/rich-info", () => {
  it("drops empty values, and keeps the first of several fields with one name in any case", async () => {
    const { owner: user } = await newTeam();
    const given = [
      ["Empty", ""],
      ["Title", "1"],
      ["TITLE", "2"],
      ["empty", "3"],
      ["title", ""],
      ["", "no name"],
    ];
    await writeFields(
      user,
      given.map(([type = "", value = ""]) => ({ type, value })),
    );
    expect((await read(user, user)).body.fields).toEqual([
      { type: "Title", value: "1" },
      { type: "empty", value: "3" },
      { type: "", value: "no name" },
    ]);
  });

  it("accepts 5000 characters of names and values together, and no more", async () => {
    const { owner: user } = await newTeam();
    const longest = [
      { type: "😀".repeat(1000), value: "x".repeat(3000) },
      { type: "b".repeat(500), value: "😀".repeat(500) },
    ];
    expect((await writeFields(user, [...longest, { type: "empty", value: "" }], 1)).status).toBe(200);
    const tooLong = await writeFields(user, [...longest, { type: "", value: "x" }], 2);
    expect(outcome(tooLong)).toBe("413 too-large-rich-info");
    expect((await read(user, user)).body).toEqual({ version: 1, fields: longest });
  });

  it("accepts as many fields as fit", async () => {
    const { owner: user } = await newTeam();
    const fields = Array.from({ length: 1200 }, (_, index) => ({
      type: index.toString(36),
      value: "x",
    }));
    expect((await writeFields(user, fields)).status).toBe(200);
    expect((await read(user, user)).body.fields).toEqual(fields);
  });

  it("keeps one of 20 concurrent writes", async () => {
    const { owner: user } = await newTeam();
    const versions = Array.from({ length: 20 }, (_, index) => index + 1);
    const statuses = await Promise.all(
      versions.map(
        async (version) => (await writeFields(user, [{ type: "n", value: `${version}` }], version)).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { body } = await read(user, user);
    expect(body.fields).toEqual([{ type: "n", value: String(body.version) }]);
  });

  it("returns 404 not-found for an unknown user", async () => {
    expect(outcome(await writeFields({ id: randomUUID() }, []))).toBe("404 not-found");
  });

  it("is not public", async () => {
    const json = { rich_info: { version: 0, fields: [] } };
    const answer = await api("PUT", `/i/users/${member.id}/rich-info`, { json, token: member.token });
    expect(answer.status).toBe(404);
  });
});
