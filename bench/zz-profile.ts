import { randomUUID } from "node:crypto";
import { startEmulators } from "#lib/local/emulators.ts";
import { startStack } from "#lib/local/stack.ts";

process.env.LOG_LEVEL = "CRITICAL";
const emulators = await startEmulators();
Object.assign(process.env, emulators.environment);
const stack = await startStack({ settings: {}, prefix: "prof", emulators });
const { Outbox } = await import("#shared/messaging/outbox.ts");
const { EventPublisher } = await import("#shared/events/publisher.ts");
const { createDocumentClient } = await import("#shared/data/client.ts");
const { transact } = await import("#shared/data/conditions.ts");
const { createLog } = await import("#shared/log.ts");
const { NotificationStore } = await import("#shared/data/notification/notification-store.ts");
const { parseSettings } = await import("#shared/settings.ts");
const z = await import("zod");
const config: any = {
  settings: parseSettings({}),
  tableName: (n: string) => `prof-${n}`,
  queueUrl: (n: string) => `${emulators.environment.AWS_ENDPOINT_URL_SQS}/000000000000/prof-${n}.fifo`,
};
const client = createDocumentClient();
const publisher = new EventPublisher(new Outbox(config, Date.now, createLog("x", "CRITICAL")), Date.now);
const store = new NotificationStore(client, config, Date.now);
const spec: any = {
  type: "t",
  schema: z.looseObject({ number: z.int() }),
  recipients: "self",
  isTransient: false,
  skipsOrigin: true,
};
const userId = randomUUID();
async function publish(sender: string, number: number) {
  const messages = publisher.stage(spec, { number }, { sender, recipients: [{ userId }] });
  await transact(
    client,
    messages.map(({ write }) => write),
  );
  for (const m of messages) await m.send();
}
async function count() {
  let n = 0;
  for await (const _ of store.after(`user#${userId}`, 0)) n++;
  return n;
}
async function until(n: number) {
  while ((await count()) < n) await new Promise((r) => setTimeout(r, 20));
}
await publish(userId, 0);
await until(1);
let t = performance.now();
for (let i = 0; i < 20; i++) await publish(userId, i), await until(2 + i);
console.log("20 alone", performance.now() - t);
t = performance.now();
const cpu = process.cpuUsage();
for (let i = 0; i < 200; i++) await publish(userId, i);
console.log("published 200", performance.now() - t);
await until(221);
const c = process.cpuUsage(cpu);
console.log("stored 200", performance.now() - t, "cpu", (c.user + c.system) / 1000);
await stack.stop();
await emulators.stop();
