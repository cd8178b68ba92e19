import { describe, expect, it } from "vitest";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { type MlsClient, newMlsClient } from "../../support/mls.ts";
import { newMlsGroup, newMlsGroupOf, newPeople, readUntil } from "../../support/mls-groups.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newUser } from "../../support/users.ts";

const groups = new GroupStore({
  dynamo: createDynamo(),
  config: stackConfig("test"),
  clock: systemClock,
});

const reset = ({ user: { token } }: MlsClient, groupId: string, epoch: number) =>
  api("POST", "/v9/mls/reset-conversation", { token, json: { group_id: groupId, epoch } });

const read = async ({ user: { token } }: MlsClient, id: string) =>
  (await api("GET", `/v9/conversations/${localDomain}/${id}`, { token })).body;

describe.concurrent("POST /mls/reset-conversation", () => {
  it("lets a plain member begin an empty group with another id, and forgets the former group", async () => {
    const [ada, bob] = await newPeople(2);
    const { id, groupId } = await newMlsGroupOf(ada, bob);
    expect(outcome(await reset(bob, groupId, 1))).toBe("200");
    const conversation = await read(ada, id);
    expect(conversation).toMatchObject({ epoch: 0, members: { others: [{ id: bob.user.id }] } });
    expect(conversation).not.toHaveProperty("cipher_suite");
    const { group_id: next } = conversation;
    expect(next).not.toBe(groupId);
    await eventually(async () => {
      const events = (await ada.notifications()).flatMap(({ payload }) => payload);
      expect(events.find(({ type }) => type === "conversation.mls-reset")).toMatchObject({
        conversation: id,
        from: bob.user.id,
        data: { group_id: groupId, new_group_id: next },
      });
    });

    expect(outcome(await ada.write("to the former group"))).toBe("400 mls-protocol-error");
    expect(outcome(await ada.commit())).toBe("400 mls-protocol-error");
    expect((await ada.groupInfo(id)).status).toBe(404);
    await eventually(async () => expect(await groups.get(groupId)).toBeUndefined());

    await ada.create(next);
    expect((await ada.add(bob.user)).body.events).toEqual([]);
    await eventually(async () => {
      await bob.catchUp();
      expect(Buffer.from(bob.state.groupContext.groupId).toString("base64")).toBe(next);
    });
    await bob.write("again");
    await readUntil(ada, ["again"]);
  });

  it("is allowed for members only, and for the current group and epoch", async () => {
    const [ada, bob] = await newPeople(2);
    const { groupId } = await newMlsGroupOf(ada, bob);
    const stranger = await newMlsClient(await newUser(), { packages: 0 });
    expect(outcome(await reset(stranger, groupId, 1))).toBe("404 no-conversation");
    expect(outcome(await reset(ada, groupId, 0))).toBe("409 mls-stale-message");
    const body = `{"group_id":"${groupId}","epoch":18446744073709551615}`;
    const headers = { "content-type": "application/json" };
    const farAhead = await api("POST", "/v9/mls/reset-conversation", {
      token: ada.user.token,
      body,
      headers,
    });
    expect(outcome(farAhead)).toBe("409 mls-stale-message");
    expect(outcome(await reset(ada, "AAEAAA==", 1))).toBe("400 mls-protocol-error");
    const answers = await Promise.all([ada, bob, ada, bob].map((client) => reset(client, groupId, 1)));
    // The others find the new group, which nobody has committed to.
    expect(answers.map(outcome).toSorted()).toEqual(["200", ...Array(3).fill("403 invalid-op")]);
  });

  it("is refused in epoch 0, and with Proteus", async () => {
    const [ada] = await newPeople(1);
    const { groupId } = await newMlsGroup(ada);
    expect(outcome(await reset(ada, groupId, 0))).toBe("403 invalid-op");
    const { id } = await newConversation([ada.user]);
    const bytes = Buffer.from(groupId, "base64");
    bytes.write(id.replaceAll("-", ""), 4, "hex");
    expect(outcome(await reset(ada, bytes.toString("base64"), 0))).toBe("403 invalid-op");
  });

  it("lets either the reset or a concurrent commit win", async () => {
    const [ada, bob] = await newPeople(2);
    const { id, groupId } = await newMlsGroupOf(ada, bob);
    const commit = await bob.prepare();
    const [cleared, committed] = await Promise.all([reset(ada, groupId, 1), bob.send(commit)]);
    expect(["200/400 mls-protocol-error", "409 mls-stale-message/201"]).toContain(
      `${outcome(cleared)}/${outcome(committed)}`,
    );
    expect((await read(ada, id)).epoch).toBe(committed.status === 201 ? 2 : 0);
  });
});
