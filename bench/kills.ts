// Kills `npm start` again and again under load, and compares what was acknowledged with what is there in the end. Fails if
// anything is lost or half done. See --help.
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { localDomain } from "../test/support/connections.ts";
import { createConversation } from "../test/support/conversations.ts";
import { messagesTo } from "../test/support/messages.ts";
import { type Runner, startRunner } from "../test/support/runner.ts";
import { testSettings } from "../test/support/test-settings.ts";
import { logIn, newEmail, register, registeredUser, somePassword, type User } from "../test/support/users.ts";
import { killDirectory } from "./kill-directory.ts";
import { killGroups } from "./kill-groups.ts";
import { killMessages } from "./kill-messages.ts";
import type { KillReport } from "./mortal-runner.ts";
import { formatTable } from "./table.ts";

const usage = `Kill the local runner under load, and count what is lost: npm run bench:kills -- [PART] [options]

  renames         of ten groups, and registrations (default)
  directory       creates, changes and removes users of a team
  groups          are created, changed and deleted
  messages        are sent to conversations that are renamed in between

  --kills N       how often (20)
  --deliveries N  renames: events times recipients, in all (100000)
  --members N     users in each group (renames: 100, groups: 400)
  --users N       of the directory (200)
  --conversations N
                  that get messages (50)
  --help          show this text
`;

const groupCount = 10;
/** How long nothing may arrive before the rest is taken for lost; longer than a failed message waits. */
const patienceMilliseconds = 60_000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: "string", default: "20" },
    deliveries: { type: "string", default: "100000" },
    members: { type: "string" },
    users: { type: "string", default: "200" },
    conversations: { type: "string", default: "50" },
    help: { type: "boolean", default: false },
  },
});
const kills = Number(values.kills);
const [part = "renames"] = positionals;
if (values.help) process.stdout.write(usage);
else if (part === "renames")
  await soak({ kills, deliveries: Number(values.deliveries), members: Number(values.members ?? 100) });
else if (part === "directory") report(await killDirectory({ kills, users: Number(values.users) }));
else if (part === "groups") report(await killGroups({ kills, members: Number(values.members ?? 400) }));
else if (part === "messages")
  report(await killMessages({ kills, conversations: Number(values.conversations) }));
else {
  process.stdout.write(usage);
  process.exitCode = 1;
}

function report({ row, problems }: KillReport): void {
  process.stdout.write(`${formatTable([row])}\n`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`${problems.length} problems\n`);
  process.exit(problems.length > 0 ? 1 : 0);
}

interface Group {
  readonly id: string;
  readonly sender: User;
  /** Numbers of the renames that were answered with success, and of those that got no answer. */
  readonly acknowledged: number[];
  readonly unanswered: number[];
}

async function soak({
  kills,
  deliveries,
  members,
}: {
  kills: number;
  deliveries: number;
  members: number;
}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kills-"));
  const settings = {
    ...testSettings,
    setDailyWriteBudget: { perUser: null, perAnonymousUser: null },
    setUserCookieThrottle: { stdDev: 0, retryAfter: 0 },
    outboxResendSeconds: 1,
  };
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
  let runner = await startRunner(folder);
  process.on("exit", () => {
    runner.process.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

  const users = await createTeam(runner, members);
  const groups = await createGroups(runner, users);
  const addresses: string[] = [];
  const renamesPerKill = Math.ceil(deliveries / members / kills);
  const startedAt = performance.now();
  for (let kill = 0; kill < kills; kill++) {
    await sendUntilKilled(runner, groups, addresses, renamesPerKill);
    runner = await startRunner(folder);
    process.stdout.write(`killed ${kill + 1} of ${kills}\n`);
  }
  const restartedAt = performance.now();
  const logs = await drain(runner, users, groups);
  const drainedAt = performance.now();
  const missingMails = await countMissingMails(runner, addresses);
  const { lost, repeated, disordered } = compare(groups, logs);
  const renames = groups.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  process.stdout.write(
    `${formatTable([
      {
        kills,
        renames,
        deliveries: renames * users.length,
        lost,
        repeated,
        "out of order": disordered,
        mails: addresses.length,
        "mails lost": missingMails,
        "s of load": Math.round((restartedAt - startedAt) / 1000),
        "s until delivered": Math.round((drainedAt - restartedAt) / 1000),
      },
    ])}\n`,
  );
  process.exit(lost + missingMails > 0 ? 1 : 0);
}

/** Create users in one team, so that they may add each other to groups. */
async function createTeam(runner: Runner, members: number): Promise<User[]> {
  const founder = await registeredUser({ team: { name: "Engines", icon: "default", binding: true } }, runner);
  const { body: self } = await runner.publicApi("GET", "/self", { token: founder.token });
  const users = [founder];
  while (users.length < members) {
    const joined = await Promise.all(
      Array.from({ length: Math.min(10, members - users.length) }, async () => {
        const user = await registeredUser({}, runner);
        const json = { member: { user: user.id, permissions: permissionsOf("member") } };
        const { status } = await runner.internalApi("POST", `/i/teams/${self.team}/members`, { json });
        if (status !== 200) throw new Error(`Joining the team was answered ${status}`);
        return user;
      }),
    );
    users.push(...joined);
  }
  return users;
}

async function createGroups(runner: Runner, users: readonly User[]): Promise<Group[]> {
  const groups: Group[] = [];
  for (const sender of users.slice(0, groupCount)) {
    const others = users.filter((user) => user !== sender);
    const { status, body } = await createConversation(sender, { with: others }, runner);
    if (status !== 201) throw new Error(`A group was answered ${status} ${JSON.stringify(body)}`);
    groups.push({ id: body.qualified_id.id, sender, acknowledged: [], unanswered: [] });
  }
  return groups;
}

/** Rename all groups concurrently, and register users, until a kill at a random moment after some renames. */
async function sendUntilKilled(
  runner: Runner,
  groups: readonly Group[],
  addresses: string[],
  renames: number,
): Promise<void> {
  let done = 0;
  const enough = Promise.withResolvers<void>();
  const senders = groups.map(async ({ id, sender, acknowledged, unanswered }) => {
    const { body } = await logIn(sender, { apis: runner });
    for (;;) {
      const number = acknowledged.length + unanswered.length;
      unanswered.push(number);
      const path = `/conversations/${localDomain}/${id}/name`;
      const json = { name: String(number) };
      const { status } = await runner.publicApi("PUT", path, { token: body.access_token, json });
      if (status !== 200) throw new Error(`A rename was answered ${status}`);
      unanswered.pop();
      acknowledged.push(number);
      if (++done === renames) enough.resolve();
    }
  });
  const newcomer = (async () => {
    for (;;) {
      const email = newEmail();
      const { status } = await register({ email, password: somePassword }, runner);
      if (status === 201) addresses.push(email);
      await pause(200);
    }
  })();
  const ends = Promise.allSettled([...senders, newcomer]);
  await enough.promise;
  await pause(randomInt(300));
  await runner.kill();
  await ends;
}

/** What a user has read so far. */
interface Log {
  readonly token: string;
  /** Numbers of the renames of each group, as they came. */
  readonly renames: Map<string, number[]>;
  last?: string;
}

/** Read everybody's notifications until nothing is missing, or nothing has arrived for a while. */
async function drain(runner: Runner, users: readonly User[], groups: readonly Group[]): Promise<Log[]> {
  const logs: Log[] = [];
  for (const user of users) {
    const { body } = await logIn(user, { apis: runner });
    logs.push({ token: body.access_token, renames: new Map() });
  }
  let before = Number.POSITIVE_INFINITY;
  let changedAt = performance.now();
  for (;;) {
    for (const log of logs) await readOn(runner, log);
    const { lost } = compare(groups, logs);
    if (lost === 0 || performance.now() - changedAt > patienceMilliseconds) return logs;
    if (lost < before) changedAt = performance.now();
    before = lost;
    process.stdout.write(`${lost} deliveries to come\n`);
    await pause(1000);
  }
}

async function readOn({ publicApi }: Runner, log: Log): Promise<void> {
  let hasMore = true;
  while (hasMore) {
    // The answer begins with the notification that it names.
    const since = log.last === undefined ? "" : `&since=${log.last}`;
    const { status, body } = await publicApi("GET", `/notifications?size=1000${since}`, { token: log.token });
    if (status !== 200) throw new Error(`Notifications were answered ${status}`);
    for (const { id, payload } of body.notifications) {
      if (id === log.last) continue;
      for (const event of payload) {
        if (event.type !== "conversation.rename") continue;
        const group = event.qualified_conversation.id;
        const numbers = log.renames.get(group) ?? [];
        numbers.push(Number(event.data.name));
        log.renames.set(group, numbers);
      }
    }
    log.last = body.notifications.at(-1)?.id ?? log.last;
    hasMore = body.has_more;
  }
}

function compare(groups: readonly Group[], logs: readonly Log[]) {
  const counts = { lost: 0, repeated: 0, disordered: 0 };
  for (const { renames } of logs) {
    for (const { id, acknowledged } of groups) {
      const numbers = renames.get(id) ?? [];
      const distinct = new Set(numbers);
      const firsts = [...distinct];
      counts.repeated += numbers.length - distinct.size;
      counts.lost += acknowledged.filter((number) => !distinct.has(number)).length;
      counts.disordered += firsts.filter((number, index) => number < (firsts[index - 1] ?? -1)).length;
    }
  }
  return counts;
}

async function countMissingMails(runner: Runner, addresses: readonly string[]): Promise<number> {
  let missing = 0;
  for (const address of addresses) {
    const mails = await messagesTo(address, runner);
    if (mails.length === 0) missing++;
  }
  return missing;
}
