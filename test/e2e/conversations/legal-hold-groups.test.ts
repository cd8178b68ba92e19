import { describe, expect, it } from "vitest";
import { createDeps } from "#functions/teams/team-jobs/deps.ts";
import { settleLegalHold } from "#shared/conversations/legal-hold/settle.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { createRuntime } from "#shared/runtime/runtime.ts";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation, newConversations } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { setLegalHold } from "../../support/legal-hold-status.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam } from "../../support/teams.ts";
import { testSettings } from "../../support/test-settings.ts";
import { newUser, type User } from "../../support/users.ts";

const settings = parseSettings(testSettings);

const pathOf = (id: string) => `/conversations/${localDomain}/${id}`;

async function membersOf({ id }: { id: string }, { token }: User): Promise<string[]> {
  const { body } = await api("GET", pathOf(id), { token });
  return [body.members.self, ...body.members.others].map((member) => member.id).sort();
}

const idsOf = (...users: User[]) => users.map(({ id }) => id).sort();

async function leavesOf({ token }: User) {
  const { body } = await api("GET", "/notifications?size=1000", { token });
  return body.notifications
    .flatMap(({ payload }: { payload: unknown[] }) => payload)
    .filter(({ type }: { type: string }) => type === "conversation.member-leave");
}

describe.concurrent("a group with a member who is put under legal hold", () => {
  it("loses the members who have not consented, if an admin has", async () => {
    const team = await newTeam();
    const [member, stranger, objecting] = await Promise.all([team.add(), newUser(), team.add()]);
    await setLegalHold(team.owner, "disabled");
    const everybody = [team.owner, member, stranger, objecting];
    const roles = { [member.id]: "member", [stranger.id]: "admin" } as const;
    const group = await newConversation(everybody, { roles });

    await setLegalHold(member, "enabled");
    await eventually(async () => expect(await membersOf(group, member)).toEqual(idsOf(team.owner, member)));
    expect(outcome(await api("GET", pathOf(group.id), stranger))).toBe("403 access-denied");
    for (const user of everybody)
      await eventually(async () => {
        const events = await leavesOf(user);
        expect(events).toHaveLength(2);
        for (const event of events)
          expect(event.data).toMatchObject({ reason: "left", user_ids: [event.from] });
        expect(events.map(({ from }: { from: string }) => from).sort()).toEqual(idsOf(stranger, objecting));
      });
  });

  it("loses that member, if no admin has consented", async () => {
    const team = await newTeam();
    const [member, stranger] = await Promise.all([team.add(), newUser()]);
    const group = await newConversation([stranger, member, team.owner], {
      roles: { [member.id]: "member", [team.owner.id]: "member" },
    });

    await setLegalHold(member, "enabled");
    await eventually(async () =>
      expect(await membersOf(group, stranger)).toEqual(idsOf(stranger, team.owner)),
    );
    const [event] = await eventually(async () => {
      const events = await leavesOf(stranger);
      expect(events).toHaveLength(1);
      return events;
    });
    expect(event).toMatchObject({ from: member.id, data: { reason: "left", user_ids: [member.id] } });
  });

  it("is settled in its turn, even if a message has time for one group only and one message fails", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const member = await team.add();
    await setLegalHold(team.owner, "disabled");
    const everybody = [team.owner, member, stranger];
    const groups = await newConversations(4, everybody);
    const [failing = ""] = groups;
    await setLegalHold(member, "enabled", { isSettled: false });

    const deps = createDeps(createRuntime("test", { ...stackConfig("test"), settings }));
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes(failing) ? "denied" : undefined,
    );
    const settleOne = (afterGroup: string | undefined) => {
      let looks = 0;
      return settleLegalHold(deps, { userId: member.id, afterGroup }, () => ++looks > 4);
    };
    const sizes = () => Promise.all(groups.map(async (id) => (await membersOf({ id }, member)).length));
    await expect(settleOne(undefined)).rejects.toThrow("1 groups are left");
    expect(await sizes()).toEqual([3, 2, 3, 3]);
    endFaults();
    const ends: (string | undefined)[] = [];
    do ends.push((await settleOne(ends.at(-1)))?.afterGroup);
    while (ends.at(-1) !== undefined && ends.length < 10);
    expect(ends.at(-1)).toBeUndefined();
    expect(await sizes()).toEqual([2, 2, 2, 2]);
  });
});
