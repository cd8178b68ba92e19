import { randomInt, randomUUID } from "node:crypto";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { outcome } from "../../support/api.ts";
import { mixed, uploadBody } from "../../support/assets.ts";
import {
  addBot,
  botData,
  newRunningService,
  nothingButTombstone,
  type RunningService,
  removeBot,
} from "../../support/bots.ts";
import { localDomain } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { newDirectory, newUserFields } from "../../support/directory.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type AwsCall, type Fault, injectFaults, isOfFault } from "../../support/faults.ts";
import { createProvider, newSsoTeam } from "../../support/identity-providers.ts";
import { newMlsDevice, referenceOf } from "../../support/key-packages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newProvider as registeredProvider, registerProvider } from "../../support/providers.ts";
import { RepeatingClient } from "../../support/repeating-client.ts";
import { finalizeLogin, newIdentityProvider, readLoginPage, verdictOf } from "../../support/saml.ts";
import { putConnection, serviceData } from "../../support/services.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, somePassword } from "../../support/users.ts";

/** Of the calls to tables, files and queues that may fail. */
const share = 0.25;
const faults = [
  "failed",
  "failed",
  "answer-lost",
  "answer-lost",
  "answer-lost",
  "throttled",
  "late",
] as const;

/** Faults that also meet the repetitions of a call; now and then, nobody hears of a message in the outbox. */
function chooseFault({ service, action }: AwsCall): Fault | undefined {
  if (Math.random() > share) return undefined;
  if (service === "sqs") return action === "SendMessage" ? "dies-before" : undefined;
  if (service === "s3") return randomInt(2) === 0 ? "failed" : "answer-lost";
  if (service !== "dynamodb") return undefined;
  if (action === "TransactWriteItems" && randomInt(5) === 0) return "conflicts";
  return faults[randomInt(faults.length)];
}

const stack = await stackWith({ outboxResendSeconds: 1 }, { expectsError: isOfFault });
const { publicApi, internalApi } = stack;
const services = serviceData(stack);
const bots = botData(stack);
const running: RunningService[] = [];
afterEach(() => {
  for (const { server } of running.splice(0)) server.stop();
});

/** What a test expects once the faults are over. */
type Check = () => Promise<void>;

/** How often each text occurs. */
const counted = (texts: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(texts, (text) => text)].map(([text, all]) => [text, all.length]));

const teamJoins = async (token: string): Promise<string[]> => {
  const { body } = await publicApi("GET", "/teams/notifications", { token });
  return body.notifications.flatMap(({ payload }: { payload: { type: string; data: { user: string } }[] }) =>
    payload.filter(({ type }) => type === "team.member-join").map(({ data }) => data.user),
  );
};

const idOfHandle = async (handle: string, token: string): Promise<string | undefined> =>
  (await publicApi("GET", `/users/by-handle/${localDomain}/${handle}`, { token })).body.user;

async function logInByProvider(): Promise<() => Promise<Check>> {
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
  return async () => {
    const client = new RepeatingClient();
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
      const { body } = await publicApi("GET", `/teams/${team.id}/members`, { token });
      expect(body.members.map(({ user }: { user: string }) => user).toSorted()).toEqual(
        [team.owner.id, self.id].toSorted(),
      );
      expect(await teamJoins(token)).toEqual([self.id]);
      const headers = { "z-user": self.id };
      const { body: log } = await internalApi("GET", "/notifications", { headers });
      const types = log.notifications.flatMap(({ payload }: { payload: { type: string }[] }) => payload);
      expect(types.filter(({ type }: { type: string }) => type === "user.activate")).toHaveLength(1);
    };
  };
}

async function provisionUser(hasProvider: boolean): Promise<() => Promise<Check>> {
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
  return async () => {
    const client = new RepeatingClient();
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
      expect(await idOfHandle(String(fields.userName), owner.token)).toBe(id);
      const { body } = await publicApi("GET", `/teams/${directory.team.id}/members`, { token: owner.token });
      expect(body.members.map(({ user }: { user: string }) => user).toSorted()).toEqual(
        [owner.id, id].toSorted(),
      );
      expect((await publicApi("GET", `/teams/${directory.team.id}/size`, owner)).body.teamSize).toBe(2);
      expect((await teamJoins(owner.token)).toSorted()).toEqual([former, id].toSorted());
      const updates = await storedEvents(owner.token, "user.update", publicApi);
      const renames = updates.filter(({ user }) => (user as { name?: string }).name === "Bob");
      expect(renames).toHaveLength(1);
    };
  };
}

async function provisionGroup(): Promise<() => Promise<Check>> {
  const directory = await newDirectory({}, stack);
  const members: string[] = [];
  for (let index = 0; index < 3; index++) members.push((await directory.create()).body.id);
  const call = (method: string, path: string, json?: object) =>
    publicApi(method, `/scim/v2/Groups${path}`, { token: directory.token, json });
  const schemas = ["urn:ietf:params:scim:schemas:core:2.0:Group"];
  const find = (name: string) => call("GET", `?filter=${encodeURIComponent(`displayName co "${name}"`)}`);
  return async () => {
    const client = new RepeatingClient();
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
}

async function useScimTokens(): Promise<() => Promise<Check>> {
  const team = await newTeam({}, stack);
  const { token, password } = team.owner;
  const path = "/v8/scim/auth-tokens";
  const list = async (client: RepeatingClient): Promise<{ id: string; name: string }[]> =>
    (await client.send(() => publicApi("GET", path, { token }), "200")).body.tokens;
  return async () => {
    const client = new RepeatingClient();
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
}

async function useAssets(): Promise<() => Promise<Check>> {
  const user = await newUser({}, stack);
  const { token } = user;
  return async () => {
    const client = new RepeatingClient();
    const upload = async (content: string) => {
      const body = uploadBody({ content });
      return (
        await client.send(() => publicApi("POST", "/v8/assets", { token, headers: mixed, body }), "201")
      ).body;
    };
    const small = await upload("small");
    const large = await upload("x".repeat(3_000_000));
    const dropped = await upload("dropped");
    const path = ({ key }: { key: string }) => `/v8/assets/${localDomain}/${key}`;
    await client.send(() => publicApi("DELETE", path(dropped), { token }), "200", "404 not-found");
    return async () => {
      const read = async (asset: { key: string; token: string }) => {
        const headers = { "asset-token": asset.token };
        const answer = await publicApi("GET", path(asset), { token, headers });
        if (answer.status !== 302) return outcome(answer);
        return (await (await fetch(answer.headers.get("location") ?? "")).text()).length;
      };
      expect([await read(small), await read(large), await read(dropped)]).toEqual([
        5,
        3_000_000,
        "404 not-found",
      ]);
    };
  };
}

async function claimKeyPackages(): Promise<() => Promise<Check>> {
  const owner = await newUser({}, stack);
  const claimers = await Promise.all(Array.from({ length: 3 }, () => newUser({}, stack)));
  const device = await newMlsDevice(owner, stack);
  const packages = await Promise.all(Array.from({ length: 8 }, () => device.make()));
  const references = await Promise.all(
    packages.map(async (text) => (await referenceOf(Buffer.from(text, "base64"))).toString("base64")),
  );
  const path = `/v8/mls/key-packages/self/${device.clientId}`;
  const { token } = device;
  return async () => {
    const client = new RepeatingClient();
    const json = { key_packages: packages };
    await client.send(() => publicApi("POST", path, { token, json }), "201");
    const claim = `/v8/mls/key-packages/claim/${localDomain}/${owner.id}?ciphersuite=0x0001`;
    const claimed: string[] = [];
    for (const claimer of claimers) {
      const { body } = await client.send(() => publicApi("POST", claim, { token: claimer.token }), "200");
      claimed.push(
        ...body.key_packages.map(({ key_package_ref }: { key_package_ref: string }) => key_package_ref),
      );
    }
    return async () => {
      expect(new Set(claimed).size).toBe(claimers.length);
      for (const reference of claimed) expect(references).toContain(reference);
      const { body } = await publicApi("GET", `${path}/count?ciphersuite=0x0001`, { token });
      const left = packages.length - claimers.length;
      // A package whose answer got lost is used up, rather than given to two.
      expect(body.count).toBeLessThanOrEqual(left);
    };
  };
}

async function newServiceInGroup() {
  const [user, provider] = await Promise.all([newUser({}, stack), services.newProvider()]);
  const service = await newRunningService(provider, {}, stack);
  running.push(service);
  const created = await createConversation(
    user,
    { access_role: ["team_member", "non_team_member", "service"] },
    stack,
  );
  return { user, provider, service, group: { id: created.body.qualified_id.id as string } };
}

const membersOf = async ({ id }: { id: string }, token: string): Promise<string[]> => {
  const { body } = await publicApi("GET", `/v9/conversations/${localDomain}/${id}`, { token });
  return body.members.others.map((member: { id: string }) => member.id);
};

async function useBots(): Promise<() => Promise<Check>> {
  const { user, service, group } = await newServiceInGroup();
  return async () => {
    const client = new RepeatingClient();
    const added = await client.send(() => addBot(user, group, service, stack), "201");
    const present = (
      await client.send(() => publicApi("GET", `/v9/conversations/${localDomain}/${group.id}`, user), "200")
    ).body.members.others.map((member: { id: string }) => member.id);
    expect(present).toContain(added.body.id);
    await client.send(() => removeBot(user, group, added.body.id, stack), "200", "204");
    return async () => {
      const left = await membersOf(group, user.token);
      // Requests without an answer may have brought bots, too.
      expect(left.toSorted()).toEqual(present.filter((id: string) => id !== added.body.id).toSorted());
      await eventually(async () => expect((await bots.botsOf(service)).toSorted()).toEqual(left.toSorted()));
      for (const bot of service.server.bots) {
        if (left.includes(bot.id)) continue;
        const remains = await bots.remainsOf(bot);
        if (remains.status !== undefined) expect(remains).toEqual(nothingButTombstone);
        else expect(remains).toEqual({ status: undefined, devices: [], prekeys: [] });
      }
      const events = await storedEvents(user.token, /^conversation\.member-(join|leave)$/, publicApi);
      const texts = events.map(({ type, data }) => {
        const { user_ids } = data as { user_ids?: string[] };
        return `${type} ${user_ids}`;
      });
      const expected = [
        ...present.map((id: string) => `conversation.member-join ${id}`),
        `conversation.member-leave ${added.body.id}`,
      ];
      expect(counted(texts)).toEqual(counted(expected));
    };
  };
}

async function endServices(): Promise<() => Promise<Check>> {
  const { user, provider, service, group } = await newServiceInGroup();
  const { body: bot } = await addBot(user, group, service, stack);
  const json = { password: somePassword };
  const { token } = provider;
  return async () => {
    const client = new RepeatingClient();
    await client.send(() => putConnection(provider, service, { enabled: false }, stack), "200");
    await client.send(() => putConnection(provider, service, { enabled: true }, stack), "200");
    const path = `/provider/services/${service.id}`;
    await client.send(() => publicApi("DELETE", path, { token, json }), "202", "404 not-found");
    return async () => {
      await eventually(async () => expect(await membersOf(group, user.token)).toEqual([]));
      await eventually(async () =>
        expect(await bots.remainsOf({ ...bot, client: bot.client })).toEqual(nothingButTombstone),
      );
      await eventually(async () =>
        expect(
          await services.services.getEvenDeleted({ providerId: provider.id, serviceId: service.id }),
        ).toBeUndefined(),
      );
      const leaves = await storedEvents(user.token, "conversation.member-leave", publicApi);
      expect(leaves).toHaveLength(1);
    };
  };
}

async function endProvider(): Promise<() => Promise<Check>> {
  const provider = await registeredProvider({ apis: stack });
  const { token, password } = provider;
  const service = await newRunningService(provider, {}, stack);
  running.push(service);
  const user = await newUser({}, stack);
  const created = await createConversation(
    user,
    { access_role: ["team_member", "non_team_member", "service"] },
    stack,
  );
  const group = { id: created.body.qualified_id.id as string };
  const { body: bot } = await addBot(user, group, service, stack);
  return async () => {
    const client = new RepeatingClient();
    await client.send(
      () => publicApi("DELETE", "/provider", { token, json: { password } }),
      "200",
      "401 unauthorized",
      "403 invalid-provider",
      "403 access-denied",
    );
    return async () => {
      await eventually(async () => expect(await membersOf(group, user.token)).toEqual([]));
      await eventually(async () =>
        expect(await bots.remainsOf({ ...bot, client: bot.client })).toEqual(nothingButTombstone),
      );
      expect(await storedEvents(user.token, "conversation.member-leave", publicApi)).toHaveLength(1);
      await eventually(async () =>
        expect(outcome(await registerProvider({ email: provider.email }, stack))).toBe("201"),
      );
    };
  };
}

const kinds = [
  logInByProvider,
  () => provisionUser(true),
  () => provisionUser(false),
  provisionGroup,
  useScimTokens,
  useAssets,
  claimKeyPackages,
  useBots,
  endServices,
  endProvider,
];

it("carries out and announces each change of directories, identity providers, files and services once, although calls fail", async () => {
  // Once without faults, which loads the functions.
  await Promise.all(kinds.map(async (prepare) => eventually(await (await prepare())())));
  const prepared = await Promise.all(kinds.map((prepare) => prepare()));
  let count = 0;
  const endFaults = injectFaults((call) => {
    const fault = chooseFault(call);
    if (fault !== undefined) count++;
    return fault;
  });
  onTestFinished(endFaults);
  const checks = await Promise.all(prepared.map((run) => run()));
  expect(count).toBeGreaterThan(0);
  endFaults();
  await Promise.all(checks.map((check) => eventually(check)));
});
