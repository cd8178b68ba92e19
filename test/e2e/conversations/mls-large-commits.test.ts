import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, createConversation } from "../../support/conversations.ts";
import { addCrowd } from "../../support/crowds.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { newSigner } from "../../support/key-packages.ts";
import { addition, newMlsClient } from "../../support/mls.ts";
import { ownStack } from "../../support/own-stack.ts";
import { isSoak } from "../../support/soak.ts";
import { newTeam } from "../../support/teams.ts";
import { signedToken } from "../../support/tokens.ts";

const stack = await ownStack();
const { publicApi } = stack;
const { store } = conversationData(stack);

/** A commit to a new group that adds a device of each of so many members of a team. */
async function largeCommit(size: number) {
  const team = await newTeam({}, stack);
  const [crowd, ada] = await Promise.all([
    addCrowd(team, { size }, stack.prefix),
    newMlsClient(team.owner, { publicApi, prefix: stack.prefix }),
  ]);
  const { body } = await createConversation(team.owner, { protocol: "mls", in: team }, stack);
  await ada.create(body.group_id);
  const packages = await Promise.all(
    crowd.map((id) => ada.makePackage(`${id}:a1@${localDomain}`, newSigner("ed25519"))),
  );
  const commit = await ada.prepare(...packages.map(({ publicPackage }) => addition(publicPackage)));
  return { ada, crowd, id: body.id as string, send: () => ada.send(commit) };
}

const tokenOf = (userId: string) =>
  signedToken({ userId, connectionId: "7", expiresAtSeconds: Math.floor(Date.now() / 1000) + 600 }, stack);

/** Types of the events that a newcomer's device finds, up to the Welcome. */
async function eventsUntilWelcome(userId: string): Promise<string[]> {
  const { body } = await publicApi("GET", "/notifications?client=a1", { token: await tokenOf(userId) });
  const types = body.notifications.flatMap(({ payload }: { payload: { type: string }[] }) =>
    payload.map(({ type }) => type),
  );
  expect(types.filter((type: string) => type === "conversation.mls-welcome")).toHaveLength(1);
  return types.slice(0, types.indexOf("conversation.mls-welcome") + 1);
}

const joined = ["conversation.member-join", "conversation.mls-welcome"];
const membersOf = async (id: string) => (await store.getPopulated(id))?.members.map(({ userId }) => userId);

describe("a commit that adds more people than a transaction holds", () => {
  it.each(isSoak ? [45, 100, 300] : [45, 100])(
    "is answered when all %i can read the conversation",
    async (size) => {
      const { ada, crowd, id, send } = await largeCommit(size);
      const { status, body } = await send();
      expect(status).toBe(201);
      expect(body.events).toHaveLength(1);
      expect(new Set(body.events[0].data.user_ids)).toEqual(new Set(crowd));

      const path = `/v9/conversations/${localDomain}/${id}`;
      const seen = await publicApi("GET", path, { token: ada.token });
      expect(seen.body.members.others).toHaveLength(size);
      for (const userId of [crowd[0], crowd[41], crowd.at(-1)] as string[])
        expect(outcome(await publicApi("GET", path, { token: await tokenOf(userId) }))).toBe("200");
      for (const userId of [crowd[0], crowd[39], crowd[40], crowd.at(-1)] as string[])
        await eventually(async () => {
          const types = await eventsUntilWelcome(userId);
          expect([types[0], types.at(-1)]).toEqual(joined);
        });
    },
  );

  it("names the users who have joined in its answer when the rest fails; the others join with their Welcome a minute later", async () => {
    const { crowd, id, send } = await largeCommit(90);
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes(crowd[85] as string) && !body.includes("follow-commit")
        ? "failed"
        : undefined,
    );
    const { status, body } = await send();
    endFaults();
    expect(status).toBe(201);
    const [event] = body.events;
    expect(await membersOf(id)).toHaveLength(1 + event.data.user_ids.length);
    expect(event.data.user_ids).toEqual(crowd.slice(0, 80));

    stack.advance(62);
    await stack.invoke("outbox-sweeper", {});
    await eventually(async () => expect(await membersOf(id)).toHaveLength(91));
    for (const userId of [crowd[60], crowd[89]] as string[])
      await eventually(async () => {
        const types = await eventsUntilWelcome(userId);
        expect([types[0], types.at(-1)]).toEqual(joined);
      });
  });
});
