import { randomInt } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { outcome } from "../../support/api.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { type AwsCall, type Fault, injectFaults, isOfFault } from "../../support/faults.ts";
import { forkDoomedStack } from "../../support/fork-doomed-stack.ts";
import { addition, type MlsClient, newMlsClient } from "../../support/mls.ts";
import { commitRepeatedly, type EnduringGroup, findProblems } from "../../support/mls-endurance.ts";
import { stackWith } from "../../support/stack-with.ts";
import { times } from "../../support/soak.ts";
import { newTeam } from "../../support/teams.ts";

/** `npm run soak` lets more devices commit to more groups, and kills processes too. */
const groupCount = times(1, 3);
const commitsOfGroup = 5;

const stack = await stackWith(
  { outboxResendSeconds: 1, socketPostMilliseconds: 10_000 },
  { expectsError: isOfFault },
);
const { prefix, publicApi } = stack;

/** One in ten writes of functions is their last one, or comes to nothing. */
function chooseFault({ service, action, isLastAttempt }: AwsCall): Fault | undefined {
  const isWrite = ["TransactWriteItems", "BatchWriteItem", "PutItem", "SendMessage"].includes(action);
  if (!["dynamodb", "sqs"].includes(service) || !isWrite || randomInt(10) > 0) return undefined;
  const faults = ["dies-before", "dies-after", "answer-lost", "failed"] as const;
  return faults[randomInt(isLastAttempt ? 2 : 4)];
}

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
  it("leave all devices in one epoch, although calls fail and functions die", async () => {
    const groups = await Promise.all(Array.from({ length: groupCount }, newGroup));
    const endFaults = injectFaults(chooseFault);
    onTestFinished(endFaults);
    await Promise.all(groups.map((group) => commitRepeatedly(group, commitsOfGroup, Math.random)));
    endFaults();
    for (const group of groups) expect(await findProblems(group, prefix)).toEqual([]);
  });

  it.each([
    { action: "TransactWriteItems", epoch: 1 },
    { action: "SendMessage", epoch: 2 },
  ])("begin a complete epoch or none when the process dies before $action", async ({ action, epoch }) => {
    const group = await newGroup();
    const { admin, id } = group;
    const [member] = group.members as [MlsClient];
    await eventually(() => member.catchUp().then(() => expect(member.epoch).toBe(1)));
    const doomed = await forkDoomedStack(stack, { action, mention: id });
    const commit = await member.prepare();
    const bundle = Buffer.concat([commit.commit, commit.groupInfo]);
    const request = {
      token: member.token,
      body: new Uint8Array(bundle),
      headers: { "content-type": "message/mls" },
    };
    await expect(doomed.publicApi("POST", "/v9/mls/commit-bundles", request)).rejects.toThrow();
    expect(await doomed.signal()).toBe("SIGKILL");
    if (epoch === 2) member.state = commit.next;
    expect((await member.groupInfo(id)).bytes?.equals(commit.groupInfo)).toBe(epoch === 2);
    expect(await findProblems(group, prefix)).toEqual([]);
    expect(admin.epoch).toBe(epoch);
    expect(outcome(await admin.commit())).toBe("201");
    expect(await findProblems(group, prefix)).toEqual([]);
  });
});
