import { expect } from "vitest";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import {
  connectionData,
  localDomain,
  requestConnection,
  updateConnection,
} from "../../support/connections.ts";
import { conversationData, createConversation, qualified } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { describeFlows, type RepeatingClient } from "../../support/fault-flows.ts";
import { isOfFault, storeFaults } from "../../support/faults.ts";
import { switchLegalHold } from "../../support/legal-hold.ts";
import { startLegalHoldService } from "../../support/legal-hold-service.ts";
import { stackWith } from "../../support/stack-with.ts";
import { changePermissions, newTeam, removeMember } from "../../support/teams.ts";
import { newUser, somePassword, type User } from "../../support/users.ts";

const stack = await stackWith({ outboxResendSeconds: 1 }, { expectsError: isOfFault });
const { publicApi } = stack;
const conversations = conversationData(stack);
const connections = connectionData(stack);

/** Expects some kinds of events; those that follow from a repeated request may come again. */
async function expectEvents(
  { token }: Pick<User, "token">,
  wanted: string | RegExp,
  nameOf: (event: Record<string, unknown>) => unknown,
  expected: readonly unknown[],
  { hasRepeated }: RepeatingClient,
): Promise<void> {
  const names = (await storedEvents(token, wanted, publicApi)).map(nameOf);
  if (hasRepeated) expect(names.filter((name, index) => name !== names[index - 1])).toEqual(expected);
  else expect(names).toEqual(expected);
}

const typeOf = ({ type }: Record<string, unknown>) => type;

describeFlows("a client that repeats its requests while DynamoDB fails", storeFaults, {
  "connects two users, and each of them is told once about each step": async () => {
    const [user, peer] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    return async (client) => {
      await client.send(() => requestConnection(user, peer, stack), "201", "200");
      await client.send(() => updateConnection(peer, user, "accepted", stack), "200", "204");
      return async () => {
        const status = ({ connection }: Record<string, unknown>) => (connection as { status: string }).status;
        await expectEvents(user, "user.connection", status, ["sent", "accepted"], client);
        await expectEvents(peer, "user.connection", status, ["pending", "accepted"], client);
        const found = await conversations.store.getPopulated(oneToOneConversationId(user.id, peer.id));
        expect(found?.members).toHaveLength(2);
        expect(await Promise.all([user, peer].map(connections.countedPlaces))).toEqual([1, 1]);
      };
    };
  },

  "puts a member under legal hold, and ends it": async () => {
    const [team, service] = await Promise.all([newTeam({}, stack), startLegalHoldService()]);
    const member = await team.add();
    const path = `/teams/${team.id}/legalhold`;
    await switchLegalHold(team, "enabled", stack);
    const { token } = team.owner;
    await publicApi("POST", `${path}/settings`, { token, json: service.registration });
    await publicApi("POST", `${path}/consent`, { token: member.token });
    const json = { password: somePassword };
    const state = async () => {
      const held = await publicApi("GET", `${path}/${member.id}`, { token: member.token });
      const devices = await publicApi("GET", "/v8/clients", { token: member.token });
      // A read meets faults, too.
      expect([held.status, devices.status]).toEqual([200, 200]);
      return [held.body.status, devices.body.length];
    };
    return async (client) => {
      await client.send(() => publicApi("POST", `${path}/${member.id}`, { token }), "201", "204");
      await client.send(
        () => publicApi("PUT", `${path}/${member.id}/approve`, { token: member.token, json }),
        "200",
        "409 legalhold-already-enabled",
      );
      const enabled = await eventually(state);
      await client.send(() => publicApi("DELETE", `${path}/${member.id}`, { token, json }), "200", "204");
      return async () => {
        expect(enabled).toEqual(["enabled", 1]);
        expect(await state()).toEqual(["disabled", 0]);
        if (!client.hasRepeated) expect(service.callsOf("/remove")).toHaveLength(1);
        const expected = ["request", "enable", "disable"].map((step) => `user.legalhold-${step}`);
        await expectEvents(member, /^user\.legalhold/, typeOf, expected, client);
      };
    };
  },

  "changes the permissions of a member, and removes another": async () => {
    const team = await newTeam({}, stack);
    const { owner } = team;
    const [promoted, removed] = await Promise.all([team.add(), team.add()]);
    const permissions = permissionsOf("admin");
    return async (client) => {
      await client.send(() => changePermissions(team, owner, promoted, permissions, stack), "200");
      await client.send(() => removeMember(team, owner, removed, stack), "202", "404 no-team-member");
      return async () => {
        const { body } = await publicApi("GET", `/teams/${team.id}/members`, { token: owner.token });
        const members: { user: string; permissions: unknown }[] = body.members;
        expect(members.map(({ user }) => user).toSorted()).toEqual([owner.id, promoted.id].toSorted());
        expect(members.find(({ user }) => user === promoted.id)).toMatchObject({ permissions });
      };
    };
  },

  "creates, renames and changes a group": async () => {
    const team = await newTeam({}, stack);
    const { token } = team.owner;
    const [member, joining, leaving] = await Promise.all([team.add(), team.add(), team.add()]);
    return async (client) => {
      const created = await client.send(
        () => createConversation(team.owner, { in: team, with: [member, leaving], name: "One" }, stack),
        "201",
      );
      const { id } = created.body.qualified_id;
      const path = `/v9/conversations/${localDomain}/${id}`;
      await client.send(
        () => publicApi("PUT", `${path}/name`, { token, json: { name: "Two" } }),
        "200",
        "204",
      );
      const added = { qualified_users: qualified(joining) };
      await client.send(() => publicApi("POST", `${path}/members`, { token, json: added }), "200", "204");
      const removal = `${path}/members/${localDomain}/${leaving.id}`;
      await client.send(() => publicApi("DELETE", removal, { token }), "200", "204");
      return async () => {
        const found = await conversations.store.getPopulated(id);
        const present = found?.members.map(({ userId }) => userId);
        expect(present?.toSorted()).toEqual([team.owner.id, member.id, joining.id].toSorted());
        const expected = ["create", "rename", "member-join", "member-leave"].map(
          (step) => `conversation.${step}`,
        );
        await expectEvents(member, /^conversation/, typeOf, expected, client);
      };
    };
  },
});
