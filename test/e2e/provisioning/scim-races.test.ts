import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect } from "vitest";
import { type ApiAnswer, outcome } from "../../support/api.ts";
import { type Directory, extensionUrn, newDirectory, newUserFields } from "../../support/directory.ts";
import { newInvitation } from "../../support/invitations.ts";
import { all, counted, each, either, only, race } from "../../support/races.ts";
import { newEmail, register, somePassword } from "../../support/users.ts";

let bound: Directory;
let unbound: Directory;

beforeAll(async () => {
  [bound, unbound] = await Promise.all([newDirectory({ hasProvider: true }), newDirectory()]);
});

const directories = {
  "a directory with an identity provider": () => bound,
  "a directory without one": () => unbound,
};

const suspend = (directory: Directory, { id }: { id: string }) =>
  directory.patch(id, [{ op: "replace", path: "active", value: false }]);

const resourcesOf = async (directory: Directory, externalId: unknown) =>
  (await directory.find(`externalId eq "${externalId}"`)).body.Resources;

describe.concurrent.for(Object.entries(directories))("concurrent requests of %s", ([, directory]) => {
  race("create one user for an external id", {
    given: async () => newEmail(),
    contenders: 20,
    act: (externalId) => directory().create(newUserFields({ externalId })),
    outcomes: only("201", "409 scim-error"),
    holds: async (externalId, answers) => {
      const winner = answers.find(({ status }) => status === 201);
      expect(await resourcesOf(directory(), externalId)).toEqual([winner?.body]);
    },
  });

  race("create a user for an address or let its owner accept the invitation, but not both", {
    given: async () => {
      const email = newEmail();
      return { email, code: (await newInvitation(directory().team, { email })).code };
    },
    rounds: 8,
    act: [
      ({ email }) => directory().create(newUserFields({ externalId: email })),
      ({ email, code }) => register({ email, name: "Ada", password: somePassword, team_code: code }),
    ],
    outcomes: either("201, 400 invalid-invitation-code", "409 scim-error, 201"),
    holds: async ({ email }, [created, joined]) => {
      const id = created?.body.id ?? joined?.body.id;
      expect(await resourcesOf(directory(), email)).toMatchObject([{ id, externalId: email }]);
    },
  });
});

describe.concurrent("concurrent requests of directories", () => {
  race("give a handle to one user, of one team", {
    given: async () => `u.${randomUUID()}`,
    contenders: 8,
    act: (userName, index) => (index % 2 === 0 ? bound : unbound).create(newUserFields({ userName })),
    outcomes: only("201", "409 scim-error"),
  });

  race("leave a team an active owner", {
    given: async () => {
      const directory = await newDirectory();
      return { directory, owners: [directory.team.owner, await directory.team.add("owner")] };
    },
    exactly: 2,
    act: ({ directory, owners }, index) => suspend(directory, owners[index] ?? { id: "" }),
    outcomes: only("200", "403 scim-error"),
  });

  race("keep each of their changes of a user", {
    given: async () => (await bound.create()).body,
    contenders: 12,
    act: ({ id }, index) =>
      bound.patch(id, [{ op: "add", path: `${extensionUrn}:Field${index}`, value: String(index) }]),
    outcomes: all("200"),
    holds: async ({ id }, { length }) =>
      expect(Object.keys((await bound.get(id)).body[extensionUrn])).toHaveLength(length),
  });

  race("replace and patch a user one after the other", {
    given: async () => (await bound.create()).body,
    act: [
      (user) => bound.replace(user.id, { ...user, displayName: "Bea", [extensionUrn]: { Title: "Chief" } }),
      (user) => suspend(bound, user),
    ],
    outcomes: all("200"),
    holds: async ({ id }, answers) => {
      const { body } = await bound.get(id);
      expect(body).toMatchObject({ displayName: "Bea", [extensionUrn]: { Title: "Chief" } });
      expect(answers.map((answer) => answer.body)).toContainEqual(body);
    },
  });

  race("delete a user and create the same user again, at most once", {
    given: async () => {
      const fields = newUserFields();
      return { fields, id: (await bound.create(fields)).body.id };
    },
    against: ({ id }) => bound.remove(id),
    contenders: 6,
    act: ({ fields }) => bound.create(fields),
    outcomes: each("204", "201", "409 scim-error"),
    holds: async ({ fields }, answers) => {
      expect(outcome(answers[0] as ApiAnswer)).toBe("204");
      const { 201: created = 0 } = counted(answers);
      expect(created).toBeLessThanOrEqual(1);
      expect(await resourcesOf(bound, fields.externalId)).toHaveLength(created);
      expect([201, 409]).toContain((await bound.create(fields)).status);
    },
  });

  race("do not swap the handles of two users, because neither is free", {
    given: async () => [(await bound.create()).body, (await bound.create()).body],
    exactly: 2,
    act: (users, index) => {
      const [one, other] = [users[index], users[1 - index]];
      return bound.replace(one.id, { ...one, userName: other.userName });
    },
    outcomes: all("409 scim-error"),
  });

  race("create many users of one team", {
    given: () => newDirectory({ hasProvider: true }),
    contenders: 16,
    rounds: 1,
    act: (directory) => directory.create(),
    outcomes: all("201"),
  });
});
