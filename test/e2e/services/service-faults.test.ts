import { afterAll, expect } from "vitest";
import { outcome } from "../../support/api.ts";
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
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { describeFlows } from "../../support/fault-flows.ts";
import { isOfFault, outageFaults } from "../../support/faults.ts";
import { newProvider as registeredProvider, registerProvider } from "../../support/providers.ts";
import { counted } from "../../support/races.ts";
import { putConnection, serviceData } from "../../support/services.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, somePassword } from "../../support/users.ts";

const stack = await stackWith({ outboxResendSeconds: 1 }, { expectsError: isOfFault });
const { publicApi } = stack;
const services = serviceData(stack);
const bots = botData(stack);
const running: RunningService[] = [];
afterAll(() => {
  for (const { server } of running) server.stop();
});

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

describeFlows("a client that repeats its requests during an outage", outageFaults, {
  "adds and removes bots": async () => {
    const { user, service, group } = await newServiceInGroup();
    return async (client) => {
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
        await eventually(async () =>
          expect((await bots.botsOf(service)).toSorted()).toEqual(left.toSorted()),
        );
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
  },
  "switches a service off and on, and deletes it with its bots": async () => {
    const { user, provider, service, group } = await newServiceInGroup();
    const { body: bot } = await addBot(user, group, service, stack);
    const json = { password: somePassword };
    const { token } = provider;
    return async (client) => {
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
  },
  "deletes a provider with its services and bots": async () => {
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
    return async (client) => {
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
  },
});
