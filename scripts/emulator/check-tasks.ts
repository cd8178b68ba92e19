import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Credentials } from "#lib/signed-fetch.ts";
import type { Stage } from "#lib/stage.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import { internalOperations } from "../admin/api-documents.ts";
import { deployedData } from "../admin/policy.ts";
import { type Policy, policyWith } from "../admin/roles/policy.ts";
import { taskPolicyOf } from "../admin/roles/task-policy.ts";
import { type TaskName, taskNames } from "../admin/roles/tasks.ts";
import { runAdmin } from "../admin/run-admin.ts";
import { findStageData, tableNameIn } from "../admin/stage-data.ts";
import { StageQueues } from "../admin/stage-queues.ts";
import type { Deployment } from "./deployment.ts";
import { call, expectStatus } from "./walk-steps.ts";

/** The data for the commands of all tasks. */
interface Data {
  readonly userId: string;
  readonly folder: string;
}

/** The commands of a task, in this order. No other task's policy allows all of them. */
const work: Readonly<Record<TaskName, (data: Data) => readonly string[][]>> = {
  assets: ({ userId }) => [["assets", "list", "--owner", userId]],
  export: ({ userId, folder }) => [
    ["export", "--user", userId, "--out", join(folder, `${Date.now()}.zip`)],
    ["export", "--user", userId, "--certificate"],
  ],
  import: ({ folder }) => [
    ["import", join(folder, "users.jsonl"), "--dry-run"],
    ["import", join(folder, "users.jsonl")],
  ],
  outbox: () => [
    ["outbox", "list"],
    ["outbox", "repeat", "mail", "--all"],
    ["outbox", "drop", "mail", "another", "--yes", "mail"],
  ],
  switches: () => [
    ["switches", "pause", "uploads", "--reason", "a test"],
    ["switches", "list"],
    ["switches", "resume", "uploads"],
  ],
  "dead-letters": () => [
    ["dead-letters", "list"],
    ["dead-letters", "show", "mail"],
    ["dead-letters", "repeat", "mail"],
    ["dead-letters", "purge", "mail", "--yes", "mail"],
  ],
};

/**
 * Check that the policy of each task suffices for the commands of the task, and for no other task.
 * @throws Error with all differences
 */
export async function checkTasks(deployment: Deployment, stage: Stage): Promise<void> {
  const start = Date.now();
  const data = { userId: await newUser(deployment), folder: mkdtempSync(join(tmpdir(), "parley-tasks-")) };
  writeFileSync(
    join(data.folder, "users.jsonl"),
    `${JSON.stringify({ name: "Ada", email: `imported-${start}@example.com`, email_verified: true })}\n`,
  );
  const deployed = await deployedData(stage.name);
  const operations = internalOperations();
  const differences: string[] = [];
  try {
    for (const role of taskNames) {
      const credentials = await deployment.createRole(
        `parley-${stage.name}-${role}`,
        inEmulator(taskPolicyOf(role, deployed, operations)),
      );
      for (const task of taskNames) {
        await giveUpMessages(stage);
        const refusals = await refusalsOf(work[task](data), stage.name, credentials);
        if (role === task && refusals.length > 0)
          differences.push(`${role} does not suffice: ${refusals.join("; ")}`);
        // An export reads all tables.
        const mayDoBoth = role === task || (role === "export" && task === "assets");
        if (!mayDoBoth && refusals.length === 0) differences.push(`${role} also suffices for ${task}`);
      }
    }
  } finally {
    rmSync(data.folder, { recursive: true });
  }
  if (differences.length > 0) throw new Error(differences.join("\n"));
  console.log(
    `ok    ${taskNames.length} policies suffice for the commands that reach data, each for its own (${Date.now() - start} ms)`,
  );
}

const moves = ["sqs:StartMessageMoveTask", "sqs:ListMessageMoveTasks"];

/** The emulator cannot tell the queue of a move, and has no moves; a permitted caller gets that error. */
function inEmulator(policy: Policy): Policy {
  const hasMoves = policy.Statement.some(({ Action }) => [Action].flat().includes(moves[0] ?? ""));
  const asking = { Sid: "AskForMoves", Effect: "Allow", Action: moves, Resource: ["*"] } as const;
  return hasMoves ? policyWith([...policy.Statement, asking]) : policy;
}

async function newUser({ publicUrl }: Deployment): Promise<string> {
  const json = { name: "Ada", email: `tasks-${Date.now()}@example.com`, password: "correct horse battery" };
  return expectStatus(await call(`${publicUrl}/register`, { json }), 201).body.id;
}

/** A parked message, and one in a dead-letter queue. Workers accept neither as a mail. */
async function giveUpMessages({ name, settings }: Stage): Promise<void> {
  const data = await findStageData(
    { stage: name, url: undefined },
    { "table-prefix": undefined, settings: undefined },
    { none: "It prepares a check." },
  );
  const config = { tableName: tableNameIn(data), settings };
  const parked = new ParkedMessages({ dynamo: createDynamo(), clock: systemClock, config });
  await parked.add("mail", "group", {}, "a test");
  const { deadLetters } = await new StageQueues(name, undefined).find("mail");
  await new SQSClient({ useQueueUrlAsEndpoint: false }).send(
    new SendMessageCommand({ QueueUrl: deadLetters.url, MessageBody: "{}" }),
  );
}

/** The commands that were refused to a caller. */
async function refusalsOf(
  commands: readonly string[][],
  stage: string,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
): Promise<string[]> {
  const own = process.env;
  process.env = {
    ...own,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  };
  try {
    const refusals: string[] = [];
    for (const command of commands) {
      const notes: string[] = [];
      const note = (text: string) => void notes.push(text);
      const code = await runAdmin([...command, "--stage", stage], { print: note, note, ask: undefined });
      // Failures that are no refusals: a certificate fails because the user exists, and a message that is not parked
      // cannot be dropped.
      const isAnswered = notes.some((text) => /isErased|not parked/.test(text));
      if (code !== 0 && !isAnswered) refusals.push(`${command.join(" ")}: ${notes.join(" ")}`);
    }
    return refusals;
  } finally {
    process.env = own;
  }
}
