import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { type AdminOutcome, adminOf, runAdmin } from "../../support/admin.ts";
import { outcome } from "../../support/api.ts";
import { ownStack } from "../../support/own-stack.ts";
import { logIn, newEmail, newUser, register, somePassword } from "../../support/users.ts";
import { filesIn } from "../../support/zip.ts";

/** Commands on the tables of a stack. */
const dataOf =
  ({ prefix }: { prefix: string }) =>
  (...args: string[]): Promise<AdminOutcome> =>
    runAdmin([...args, "--table-prefix", prefix]);

const newFolder = () => mkdtempSync(join(tmpdir(), "parley-admin-"));
const linesOf = ({ stdout }: AdminOutcome) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe.concurrent("npm run admin -- switches", () => {
  it("pauses an operation, says since when and why it is paused, and resumes it", async () => {
    const stack = await ownStack({}, { isClockStopped: true });
    const data = dataOf(stack);
    const registered = async () => {
      stack.advance(61);
      return outcome(await register({ email: newEmail() }, stack));
    };
    expect((await data("switches", "pause", "registration", "--dry-run")).code).toBe(0);
    expect((await data("switches", "list")).stdout).toBe("Nothing.\n");
    expect(await registered()).toBe("201");

    await data("switches", "pause", "registration", "--reason", "spam");
    expect(JSON.parse((await data("switches", "list", "--json")).stdout)).toEqual([
      { switch: "registration", reason: "spam", pausedAt: expect.any(String) },
    ]);
    expect(await registered()).toBe("503 service-unavailable");
    await data("switches", "resume", "registration");
    expect(await registered()).toBe("201");
  });

  it("refuses an unknown switch, and does not guess which stage is meant", async () => {
    const unknown = await runAdmin(["switches", "pause", "everything", "--table-prefix", "any"]);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("SWITCH is one of registration"),
    });
    const nowhere = await runAdmin(["switches", "list", "--url", "http://127.0.0.1:1"]);
    expect(nowhere.stderr).toContain("there is no console of npm start at http://127.0.0.1:2");
    expect((await runAdmin(["dead-letters", "list"])).stderr).toContain(
      "npm start keeps its queues to itself",
    );
    const elsewhere = await runAdmin(["switches", "list", "--url", "http://evil.example:8081"]);
    expect(elsewhere.stderr).toContain("--url only takes addresses of this machine");
    const both = await runAdmin(["switches", "list", "--stage", "dev", "--table-prefix", "any"]);
    expect(both.stderr).toBe("Name either a --stage, or a --table-prefix");
  });
});

describe.concurrent("npm run admin -- dead-letters", () => {
  it("counts and drops messages that workers have given up, except those that exist nowhere else", async () => {
    const stack = await ownStack();
    const data = dataOf(stack);
    const [endpoint, sqs] = [
      process.env.AWS_ENDPOINT_URL_SQS,
      new SQSClient({ useQueueUrlAsEndpoint: false }),
    ];
    const deadLetters = `${endpoint}/000000000000/${stack.prefix}-mail-dead-letters`;
    await sqs.send(new SendMessageCommand({ QueueUrl: deadLetters, MessageBody: "{}" }));
    const counted = async () => {
      const { stdout, stderr } = await data("dead-letters", "list", "--json");
      expect(stderr).toBe("");
      const lists: { queue: string; messages: number }[] = JSON.parse(stdout);
      return lists.filter(({ messages }) => messages > 0).map(({ queue, messages }) => [queue, messages]);
    };
    expect(await counted()).toEqual([["mail", 1]]);
    expect((await data("dead-letters", "purge", "mail")).stderr).toContain('--yes "mail"');
    await data("dead-letters", "purge", "mail", "--dry-run");
    expect((await data("dead-letters", "repeat", "mail", "--dry-run")).code).toBe(0);
    expect(await counted()).toEqual([["mail", 1]]);
    expect((await data("dead-letters", "purge", "mail", "--yes", "mail")).code).toBe(0);
    expect(await counted()).toEqual([]);
    const refused = await data("dead-letters", "purge", "deliveries", "--yes", "deliveries");
    expect(refused.stderr).toContain("nowhere else");
  });

  it("asks SQS to move the messages of the dead-letter queue back to their source, and how far that is", async ({
    onTestFinished,
  }) => {
    const stack = await ownStack();
    const source = `:${stack.prefix}-deliveries-dead-letters.fifo`;
    const asked: unknown[] = [];
    // The emulator does not know the calls.
    onTestFinished(
      interceptAwsCalls(async (call, send) => {
        if (call.service !== "sqs" || !call.body.includes(source)) return send();
        if (call.action === "StartMessageMoveTask") asked.push(JSON.parse(call.body));
        const task = { Status: "RUNNING", StartedTimestamp: 0, ApproximateNumberOfMessagesMoved: 2 };
        const answers: Record<string, object> = {
          StartMessageMoveTask: { TaskHandle: "task" },
          ListMessageMoveTasks: { Results: [{ ...task, ApproximateNumberOfMessagesToMove: 5 }] },
        };
        const answer = answers[call.action];
        return answer === undefined ? send() : awsAnswer(200, answer);
      }),
    );
    const data = dataOf(stack);
    const { code, stdout, stderr } = await data(
      "dead-letters",
      "repeat",
      "deliveries",
      "--rate",
      "10",
      "--json",
    );
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("dead-letters moves deliveries"),
    });
    expect(JSON.parse(stdout).moving_from).toContain(source);
    expect(asked).toEqual([{ SourceArn: expect.stringContaining(source), MaxNumberOfMessagesPerSecond: 10 }]);
    const moves = await data("dead-letters", "moves", "deliveries", "--json");
    expect(JSON.parse(moves.stdout)).toEqual([
      { status: "RUNNING", started: "1970-01-01T00:00:00.000Z", moved: 2, of: 5 },
    ]);
  });

  it("shows and resends the messages of a dead-letter queue that SQS cannot move back by itself", async () => {
    const stack = await ownStack();
    const data = dataOf(stack);
    const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
    const urlOf = (name: string) =>
      `${process.env.AWS_ENDPOINT_URL_SQS}/000000000000/${stack.prefix}-${name}.fifo`;
    // Nobody receives from it here.
    const name = "cells-events";
    for (let index = 0; index < 12; index++)
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: urlOf(`${name}-dead-letters`),
          MessageBody: `{"index":${index}}`,
          MessageGroupId: `group-${index % 3}`,
          MessageDeduplicationId: String(index),
        }),
      );

    const shown = async () => JSON.parse((await data("dead-letters", "show", name, "--json")).stdout);
    const [first, ...others] = await shown();
    expect(first).toEqual({
      id: expect.any(String),
      group: expect.stringMatching(/^group-/),
      sent: expect.stringMatching(/Z$/),
      received: expect.any(Number),
      bytes: 11,
    });
    expect(others.length).toBeGreaterThan(0);
    expect((await shown()).length).toBe(others.length + 1);

    const { code, stdout, stderr } = await data("dead-letters", "repeat", name, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("one by one") });
    expect(JSON.parse(stdout)).toMatchObject({ moved: 12 });
    expect(await shown()).toEqual([]);
    const received = new Map<string, number[]>();
    for (let count = 0; count < 12; ) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: urlOf(name),
          MaxNumberOfMessages: 10,
          MessageSystemAttributeNames: ["MessageGroupId"],
        }),
      );
      for (const { Body = "", Attributes, ReceiptHandle } of Messages) {
        const group = Attributes?.MessageGroupId ?? "";
        received.set(group, [...(received.get(group) ?? []), JSON.parse(Body).index]);
        await sqs.send(new DeleteMessageCommand({ QueueUrl: urlOf(name), ReceiptHandle }));
        count++;
      }
    }
    expect(Object.fromEntries(received)).toEqual({
      "group-0": [0, 3, 6, 9],
      "group-1": [1, 4, 7, 10],
      "group-2": [2, 5, 8, 11],
    });
    expect((await data("dead-letters", "moves", name)).stderr).toContain("by itself");
  });
});

describe.concurrent("the audit trail", () => {
  it("records what commands do with tables and queues, and what they read there", async () => {
    const stack = await ownStack();
    const data = dataOf(stack);
    const user = await newUser({}, stack);
    const folder = newFolder();
    const file = join(folder, "users.jsonl");
    const founder = {
      name: "Ada",
      email: newEmail(),
      email_verified: true,
      new_team: { external_id: "1", name: "Engines" },
    };
    const person = { name: "Ben", email: newEmail(), email_verified: true };
    writeFileSync(file, [founder, person].map((line) => JSON.stringify(line)).join("\n"));
    const [{ teamId, userId }, { userId: personId }] = linesOf(await data("import", file));
    await data("switches", "pause", "uploads", "--dry-run");
    await data("switches", "pause", "uploads");
    await data("export", "--user", user.id, "--out", join(folder, "user.zip"));
    await data("outbox", "drop", "mail", "another", "--yes", "mail");
    await data("dead-letters", "purge", "mail", "--yes", "mail");

    const from = new Date(stack.clock() - 60_000).toISOString();
    const recordsOf = async (subject: Record<string, string>) =>
      (await stack.internalApi("GET", `/i/audit?${new URLSearchParams({ from, ...subject })}`)).body.records;
    const actor = { kind: "operator", principal: expect.stringMatching(/^arn:/) };
    const ofInstallation = (await recordsOf({ chain: "installation" })).filter(
      ({ operation }: { operation: string }) => operation.startsWith("admin "),
    );
    expect(ofInstallation).toMatchObject([
      {
        event: "data.imported",
        operation: "admin import",
        actor,
        target: { file: "users.jsonl", created: "2" },
      },
      { event: "switch.changed", operation: "admin switches pause", actor, target: { switch: "uploads" } },
      {
        event: "messages.handled",
        operation: "admin outbox drop",
        target: { queue: "mail", message: "another" },
      },
      { event: "messages.handled", operation: "admin dead-letters purge", target: { queue: "mail" } },
    ]);
    const imported = { event: "data.imported", operation: "admin import", actor };
    const role = { after: "owner" };
    expect(await recordsOf({ team: teamId })).toMatchObject([
      { ...imported, target: { tid: teamId, uid: userId, file: "users.jsonl" }, changes: { role } },
    ]);
    expect(await recordsOf({ user: personId })).toMatchObject([{ ...imported, target: { uid: personId } }]);
    expect((await recordsOf({ user: user.id })).at(-1)).toMatchObject({
      event: "data.exported",
      actor,
      target: { uid: user.id, kind: "archive" },
    });
  });
});

describe.concurrent("npm run admin -- import", () => {
  it("reports each line as it is read, and creates nobody in a dry run", async () => {
    const stack = await ownStack();
    const data = dataOf(stack);
    const file = join(newFolder(), "users.jsonl");
    const email = newEmail();
    const users = [{ name: "Ada", email, email_verified: true }, { name: "Nobody" }];
    writeFileSync(file, users.map((user) => JSON.stringify(user)).join("\n"));

    const tried = await data("import", file, "--dry-run");
    expect(tried).toMatchObject({ code: 1, stderr: '{"would-create":1,"refused":1}' });
    expect(linesOf(tried).map((report) => report.outcome)).toEqual(["would-create", "refused"]);
    const created = await data("import", file);
    expect(linesOf(created).map((report) => report.outcome)).toEqual(["created", "refused"]);
    const again = await data("import", file);
    expect(linesOf(again).map((report) => report.outcome)).toEqual(["exists", "refused"]);
    expect((await data("import", file, "--format", "csv")).stderr).toContain("--format is one of");
    expect((await data("import", `${file}.none`)).stderr).toContain("There is no file");
  });
});

describe.concurrent("npm run admin -- export", () => {
  it("writes the data of a user once, and certifies the erasure of a deleted one only", async () => {
    const stack = await ownStack();
    const data = dataOf(stack);
    const user = await newUser({}, stack);
    expect(outcome(await logIn({ email: user.email, password: somePassword }, { apis: stack }))).toBe("200");
    const other = await newUser({}, stack);
    await stack.internalApi("GET", `/i/users?ids=${user.id},${other.id}`);
    const file = join(newFolder(), "ada.zip");
    const write = ["export", "--user", user.id, "--out", file];

    const planned = await data(...write, "--dry-run", "--json");
    expect(JSON.parse(planned.stdout)).toEqual({ would_write: file });
    const written = await data(...write, "--url", stack.internalUrl, "--json");
    expect(JSON.parse(written.stdout)).toMatchObject({ file, files: expect.any(Number) });
    const trail = Buffer.from((await filesIn(file)).get("audit-trail.jsonl") ?? []).toString();
    expect(trail).toContain('"event":"session.started"');
    expect(trail).toContain('"operation":"i-get-users"');
    expect(trail).not.toContain(other.id);
    expect(readFileSync(file).subarray(0, 2).toString()).toBe("PK");
    expect((await data(...write)).stderr).toBe(`${file} exists`);

    const certificate = await data("export", "--user", user.id, "--certificate", "--json");
    expect(certificate.code).toBe(1);
    const unsigned = JSON.parse(certificate.stdout);
    expect(unsigned).toMatchObject({ userId: user.id, isAsDeclared: false });
    expect(unsigned).not.toHaveProperty("signature");
  });

  it("signs a certificate, and detects changes of it", async () => {
    const stack = await ownStack();
    const user = await newUser({}, stack);
    const { admin } = adminOf(stack);
    const certify = ["export", "--user", user.id, "--certificate", "--table-prefix", stack.prefix, "--json"];
    const { stdout } = await admin(...certify);
    const file = join(newFolder(), "ada.json");
    const verify = async (text: string) => {
      writeFileSync(file, text);
      return admin("certificate", "verify", file, "--json");
    };
    expect(JSON.parse((await verify(stdout)).stdout)).toMatchObject({ signedBy: "parley.localhost" });
    const forged = await verify(stdout.replace('"isErased": false', '"isErased": true'));
    expect(forged).toMatchObject({ code: 1, stdout: expect.stringContaining("It was changed") });
    expect(await verify("{}")).toMatchObject({ code: 1, stdout: expect.stringContaining("no signature") });
  });

  it.each<[problem: string, args: string[]]>([
    ["Name either a --user or a --team", ["--out", "x.zip"]],
    ["Not an id: ada", ["--user", "ada", "--out", "x.zip"]],
    ["Name either the file to write", ["--user", "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60"]],
    [
      "--archive is for",
      ["--user", "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60", "--certificate", "--archive", "x.zip"],
    ],
  ])("is refused: %s", async (problem, args) => {
    const { code, stderr } = await runAdmin(["export", ...args, "--table-prefix", "any"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(problem) });
  });
});
