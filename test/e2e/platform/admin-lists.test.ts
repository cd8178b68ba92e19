import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { adminOf } from "../../support/admin.ts";
import { newDirectory, newUserFields } from "../../support/directory.ts";
import { knownTo } from "../../support/identity-providers.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { newTeam } from "../../support/teams.ts";
import { newEmail, newUser } from "../../support/users.ts";

describe("npm run admin -- users list, teams list", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await ownStack({}, { isClockStopped: true });
  });

  it("lists users and teams, the newest first, of a period and up to a limit", async () => {
    const { admin, resultOf } = adminOf(stack);
    const before = await newUser({ name: "Before" }, stack);
    stack.advance(3600);
    const time = new Date(stack.clock()).toISOString();
    const team = await newTeam({}, stack);
    stack.advance(3600);
    const after = await newUser({ name: "After" }, stack);

    const users = await resultOf("users", "list");
    expect(users.map(({ id }: { id: string }) => id)).toEqual([after.id, team.owner.id, before.id]);
    expect(users[0]).toMatchObject({ name: "After", status: "active", email: after.email });
    expect(await resultOf("users", "list", "--from", time, "--limit", "1")).toMatchObject([{ id: after.id }]);
    expect(await resultOf("users", "list", "--to", time)).toMatchObject([{ id: before.id }]);
    expect(await resultOf("teams", "list")).toMatchObject([{ id: team.id, size: 1, creator: team.owner.id }]);

    const { stdout, stderr } = await admin("users", "list", "--limit", "2");
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^id +name +status +created_at +email +team$/),
      expect.stringContaining(after.id),
      expect.stringContaining(team.id),
      "",
    ]);
    expect(stderr).toContain("There are more");
  });

  it("accepts days and times, and explains what is wrong with others", async () => {
    const { admin } = adminOf(stack);
    const [none, wrong, impossible] = await Promise.all([
      admin("teams", "list", "--from", "2101-01-01"),
      admin("users", "list", "--from", "yesterday"),
      admin("users", "list", "--to", "2026-02-30"),
    ]);
    expect(none).toMatchObject({ code: 0, stdout: "Nothing.\n" });
    expect(wrong).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("yesterday is not a day"),
    });
    expect(impossible).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("2026-02-30 is not a day"),
    });
  });
});

describe("npm run admin -- user find", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await ownStack();
  });

  it("finds the members of a team with their roles", async () => {
    const { admin, resultOf } = adminOf(stack);
    const team = await newTeam({}, stack);
    const partner = await team.add("partner");
    const expected = [
      { id: team.owner.id, email: team.owner.email, role: "owner", team: team.id },
      { id: partner.id, email: partner.email, role: "partner", team: team.id },
    ].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    expect(await resultOf("user", "find", "--team", team.id)).toMatchObject(expected);
    const first = await admin("user", "find", "--team", team.id, "--limit", "1", "--json");
    expect(JSON.parse(first.stdout)).toMatchObject(expected.slice(0, 1));
    expect(first.stderr).toBe("There are more: raise --limit.");
    expect(await admin("user", "find", "--team", randomUUID())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no-team"),
    });
  });

  it("finds a user by the name at an identity provider or in a directory", async () => {
    const { admin, resultOf } = adminOf(stack);
    const issuer = `https://idp-${randomUUID()}.example.com/metadata`;
    const { id } = await newUser(knownTo(issuer, "Ada"), stack);
    expect(await resultOf("user", "find", "--issuer", issuer, "--name-id", "ada")).toMatchObject([{ id }]);
    expect(await admin("user", "find", "--issuer", issuer, "--name-id", "bob")).toEqual({
      code: 1,
      stdout: "",
      stderr: "There is no user bob",
    });

    const directory = await newDirectory({ hasProvider: true }, stack);
    const externalId = newEmail();
    const { body } = await directory.create(newUserFields({ externalId }));
    expect(await resultOf("user", "find", "--name-id", externalId)).toMatchObject([{ id: body.id }]);
    const found = ["--external-id", externalId, "--team", directory.team.id];
    expect(await resultOf("user", "find", ...found)).toMatchObject([
      { id: body.id, team: directory.team.id },
    ]);
  });

  it("refuses several criteria, and none", async () => {
    const { admin } = adminOf(stack);
    const outcomes = await Promise.all([
      admin("user", "find"),
      admin("user", "find", "ada@example.com", "--team", randomUUID()),
      admin("user", "find", "--external-id", "ada"),
    ]);
    expect(outcomes).toMatchObject(
      ["either a user", "either a user", "bad-request"].map((reason) => ({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining(reason),
      })),
    );
  });
});
