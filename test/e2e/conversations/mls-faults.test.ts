import { randomInt } from "node:crypto";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Api, outcome } from "../../support/api.ts";
import { createConversation } from "../../support/conversations.ts";
import { type FaultRow, isOfFault, startFaults } from "../../support/faults.ts";
import { dieDuring, dieRepeatedly } from "../../support/kills/kills.ts";
import { addition, type MlsClient, newMlsClient } from "../../support/mls.ts";
import { commitRepeatedly, type EnduringGroup, findProblems } from "../../support/mls-endurance.ts";
import { followTo } from "../../support/mls-groups.ts";
import { ownStack } from "../../support/own-stack.ts";
import { concurrently } from "../../support/races.ts";
import { isSoak, times } from "../../support/soak.ts";
import { newTeam } from "../../support/teams.ts";
import type { Apis } from "../../support/users.ts";

const groupCount = times(1, 3);
const commitsOfGroup = times(3, 20);

const stack = await ownStack(
  { outboxResendSeconds: 1, socketPostMilliseconds: 10_000 },
  { expectsError: isOfFault },
);
const { prefix } = stack;
/** The API through which devices reach the service. */
let reach = stack.publicApi;
const publicApi: Api = (...request) => reach(...request);

const action = ["TransactWriteItems", "BatchWriteItem", "PutItem", "SendMessage"];
/** Some writes have no effect, or are the last call of their function. */
const rows: readonly FaultRow[] = [
  { action, attempt: "last", faults: ["dies-before", "dies-after"], share: 0.1, every: 6 },
  { action, faults: ["dies-before", "dies-after", "answer-lost", "failed"], share: 0.1, every: 6 },
];

/** A group of an administrator and two members, and a guest who is not in it. */
async function newGroup(): Promise<EnduringGroup> {
  const team = await newTeam({}, stack);
  const users = [team.owner, await team.add(), await team.add(), await team.add()];
  const devices = await Promise.all(
    users.map((user) => newMlsClient(user, { publicApi, prefix, packages: 0 })),
  );
  const [admin, bob, cleo, guest] = devices as [MlsClient, MlsClient, MlsClient, MlsClient];
  const { body } = await createConversation(team.owner, { in: team, protocol: "mls" }, stack);
  await admin.create(body.group_id);
  const packages = await Promise.all([bob, cleo].map((member) => member.makePackage()));
  await admin.mustCommit(...packages.map(({ publicPackage }) => addition(publicPackage)));
  return { id: body.id, groupId: body.group_id, admin, members: [bob, cleo], guest };
}

describe("commits to MLS groups", () => {
  let groups: EnduringGroup[];
  beforeAll(async () => {
    groups = await concurrently(groupCount, newGroup);
  });

  it("leave all devices in one epoch, although calls fail and functions die", {
    timeout: 480_000,
  }, async () => {
    const faults = startFaults(rows);
    onTestFinished(faults.end);
    await Promise.all(groups.map((group) => commitRepeatedly(group, commitsOfGroup, Math.random)));
    faults.end();
    expect(faults.counts().size).toBe(4);
    for (const group of groups) expect(await findProblems(group, prefix)).toEqual([]);
  });

  if (isSoak)
    it("leave all devices in one epoch, although processes are killed before and after any call", {
      timeout: 900_000,
    }, async () => {
      const nextDeath = () => ({ number: randomInt(1, 2000), isAfterwards: randomInt(2) === 0 });
      const work = async (apis: Apis) => {
        reach = apis.publicApi;
        await Promise.all(groups.map((group) => commitRepeatedly(group, commitsOfGroup, Math.random)));
      };
      const { kills } = await dieRepeatedly(stack, nextDeath, work, { longestLifeMilliseconds: 8000 });
      reach = stack.publicApi;
      for (const group of groups) expect(await findProblems(group, prefix)).toEqual([]);
      expect(kills).toBeGreaterThan(0);
    });

  it.for([
    { action: "TransactWriteItems", begun: 0 },
    { action: "SendMessage", begun: 1 },
  ])("begin a complete epoch or none when the process dies before $action", async ({ action, begun }) => {
    const [group] = groups as [EnduringGroup];
    const { admin, id } = group;
    const [member] = group.members as [MlsClient];
    await admin.mustCommit();
    const { epoch } = admin;
    await followTo(member, epoch);
    const commit = await member.prepare();
    const body = new Uint8Array(Buffer.concat([commit.commit, commit.groupInfo]));
    const headers = { "content-type": "message/mls" };
    await dieDuring(stack, { action, mentions: id }, ({ publicApi: api }) =>
      api("POST", "/v9/mls/commit-bundles", { token: member.token, body, headers }),
    );
    if (begun === 1) member.state = commit.next;
    expect((await member.groupInfo(id)).bytes?.equals(commit.groupInfo)).toBe(begun === 1);
    expect(await findProblems(group, prefix)).toEqual([]);
    expect(admin.epoch).toBe(epoch + begun);
    expect(outcome(await admin.commit())).toBe("201");
    expect(await findProblems(group, prefix)).toEqual([]);
  });
});
