import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { newDirectory, newUserFields } from "../../support/directory.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { describeFlows, type Flow, type RepeatingClient } from "../../support/fault-flows.ts";
import { isOfFault, outageFaults } from "../../support/faults.ts";
import { createProvider, newSsoTeam } from "../../support/identity-providers.ts";
import { finalizeLogin, newIdentityProvider, readLoginPage, verdictOf } from "../../support/saml.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";

const stack = await stackWith({ outboxResendSeconds: 1 }, { expectsError: isOfFault });
const { publicApi, internalApi } = stack;

const teamJoins = async (token: string): Promise<string[]> => {
  const { body } = await publicApi("GET", "/teams/notifications", { token });
  return body.notifications.flatMap(({ payload }: { payload: { type: string; data: { user: string } }[] }) =>
    payload.filter(({ type }) => type === "team.member-join").map(({ data }) => data.user),
  );
};

const membersOf = async (teamId: string, token: string): Promise<string[]> => {
  const { body } = await publicApi("GET", `/teams/${teamId}/members`, { token });
  return body.members.map(({ user }: { user: string }) => user).toSorted();
};

/** Create a user, remove it, create it again, and change it. */
const provisionUser =
  (hasProvider: boolean): Flow =>
  async () => {
    const directory = await newDirectory({ hasProvider }, stack);
    const { owner } = directory.team;
    const fields = newUserFields();
    const find = (client: RepeatingClient) =>
      client.send(() => directory.find(`externalId eq "${fields.externalId}"`), "200");
    async function create(client: RepeatingClient): Promise<string> {
      const created = await client.send(() => directory.create(fields), "201", "409 scim-error");
      if (created.status === 201) return created.body.id;
      const found = await find(client);
      expect(found.body.totalResults).toBe(1);
      return found.body.Resources[0].id;
    }
    return async (client) => {
      const former = await create(client);
      await client.send(() => directory.remove(former), "204", "404 scim-error");
      const id = await create(client);
      const path = "displayName";
      await client.send(() => directory.patch(id, [{ op: "replace", path, value: "Bob" }]), "200");
      for (const value of [false, true])
        await client.send(() => directory.patch(id, [{ op: "replace", path: "active", value }]), "200");
      return async () => {
        expect(outcome(await directory.get(former))).toBe("404 scim-error");
        expect((await directory.get(id)).body).toMatchObject({ ...fields, displayName: "Bob", active: true });
        expect((await find(client)).body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
        const byHandle = `/users/by-handle/${localDomain}/${fields.userName}`;
        expect((await publicApi("GET", byHandle, owner)).body.user).toBe(id);
        expect(await membersOf(directory.team.id, owner.token)).toEqual([owner.id, id].toSorted());
        expect((await publicApi("GET", `/teams/${directory.team.id}/size`, owner)).body.teamSize).toBe(2);
        expect((await teamJoins(owner.token)).toSorted()).toEqual([former, id].toSorted());
        const updates = await storedEvents(owner.token, "user.update", publicApi);
        const renames = updates.filter(({ user }) => (user as { name?: string }).name === "Bob");
        expect(renames).toHaveLength(1);
      };
    };
  };

describeFlows("a directory or browser that repeats its requests during an outage", outageFaults, {
  "logs a new user in by an identity provider, with one account": async () => {
    const [team, idp] = [await newSsoTeam(stack), await newIdentityProvider()];
    const query = { api_version: "v2" };
    const { body } = await createProvider(team.owner, idp.metadata(), { query, publicApi });
    const registered = { id: body.id as string, teamId: team.id, apiVersion: "v2" as const };
    const nameId = { text: `subject-${randomUUID()}` };
    const logIn = async (client: RepeatingClient) => {
      const page = await client.send(() => publicApi("GET", `/sso/initiate-login/${registered.id}`), "200");
      return finalizeLogin(registered, idp.respond(readLoginPage(page.body), { nameId }), stack);
    };
    const selfOf = async (cookie: string | undefined) => {
      const { body } = await publicApi("POST", "/access", { cookie });
      return (await publicApi("GET", "/self", { token: body.access_token })).body;
    };
    return async (client) => {
      const { cookie } = await eventually(async () => {
        const answer = await logIn(client);
        expect(verdictOf(answer)).toBe("success");
        return answer;
      });
      return async () => {
        const self = await selfOf(cookie);
        expect(self).toMatchObject({ team: team.id, sso_id: { tenant: expect.any(String) } });
        expect((await selfOf((await logIn(client)).cookie)).id).toBe(self.id);
        const { token } = team.owner;
        expect(await membersOf(team.id, token)).toEqual([team.owner.id, self.id].toSorted());
        expect(await teamJoins(token)).toEqual([self.id]);
        const { body } = await internalApi("GET", "/notifications", { headers: { "z-user": self.id } });
        expect(JSON.stringify(body).split('"user.activate"')).toHaveLength(2);
      };
    };
  },
  "provisions a user whom an identity provider knows": provisionUser(true),

  "provisions a user who is invited": provisionUser(false),

  "creates, changes and deletes groups": async () => {
    const directory = await newDirectory({}, stack);
    const members: string[] = [];
    for (let index = 0; index < 3; index++) members.push((await directory.create()).body.id);
    const call = (method: string, path: string, json?: object) =>
      publicApi(method, `/scim/v2/Groups${path}`, { token: directory.token, json });
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:Group"];
    const find = (name: string) => call("GET", `?filter=${encodeURIComponent(`displayName co "${name}"`)}`);
    return async (client) => {
      const name = randomUUID();
      const create = () => {
        const [value] = members;
        return call("POST", "", { schemas, displayName: name, members: [{ value }] });
      };
      // Names may occur twice, so a client looks before it tries again.
      const id = await eventually(async () => {
        const [existing] = (await client.send(() => find(name), "200")).body.Resources;
        if (existing !== undefined) return existing.id as string;
        const created = await create();
        expect(outcome(created)).toBe("201");
        return created.body.id as string;
      });
      const displayName = `${name} two`;
      const others = members.slice(1).map((value) => ({ value }));
      await client.send(() => call("PUT", `/${id}`, { schemas, displayName, members: others }), "200");
      const second = await eventually(async () => {
        const created = await call("POST", "", { schemas, displayName: `${name} three`, members: others });
        expect(outcome(created)).toBe("201");
        return created.body.id as string;
      });
      await client.send(() => call("DELETE", `/${second}`), "204", "404 scim-error");
      return async () => {
        const { body } = await call("GET", `/${id}`);
        expect(body.displayName).toBe(displayName);
        expect(body.members.map(({ value }: { value: string }) => value).toSorted()).toEqual(
          members.slice(1).toSorted(),
        );
        expect(outcome(await call("GET", `/${second}`))).toBe("404 scim-error");
        expect((await find(`${name} two`)).body.totalResults).toBe(1);
      };
    };
  },
  "creates, renames and deletes tokens of a directory": async () => {
    const team = await newTeam({}, stack);
    const { token, password } = team.owner;
    const path = "/v8/scim/auth-tokens";
    const list = async (client: RepeatingClient): Promise<{ id: string; name: string }[]> =>
      (await client.send(() => publicApi("GET", path, { token }), "200")).body.tokens;
    return async (client) => {
      const create = (name: string) =>
        eventually(async () => {
          // The text of a token whose answer got lost is lost.
          for (const { id, name: existing } of await list(client)) {
            if (existing === name)
              await client.send(() => publicApi("DELETE", `${path}?id=${id}`, { token }), "204");
          }
          const created = await publicApi("POST", path, { token, json: { description: "", name, password } });
          expect(outcome(created)).toMatch(/^20[01]$/);
          return created.body;
        });
      const [kept, dropped] = [await create("Kept"), await create("Dropped")];
      await client.send(
        () => publicApi("PUT", `${path}/${kept.info.id}`, { token, json: { name: "New" } }),
        "200",
      );
      await client.send(() => publicApi("DELETE", `${path}?id=${dropped.info.id}`, { token }), "204");
      return async () => {
        expect((await list(client)).map(({ id, name }) => `${id} ${name}`)).toEqual([`${kept.info.id} New`]);
        const use = async ({ token }: { token: string }) =>
          outcome(await publicApi("GET", "/scim/v2/Groups", { token }));
        expect([await use(kept), await use(dropped)]).toEqual(["200", "401 scim-error"]);
      };
    };
  },
});
