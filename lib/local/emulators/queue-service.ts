import type { DatabaseSync } from "node:sqlite";
import { buildApp } from "fauxqs";
import { localListeners } from "../gateway/http-server.ts";
import { isLocalProgram } from "../gateway/local-caller.ts";
import { createStores, load, type QueueDatabase, type Stores } from "./package-parts.ts";
import { addTraceHeaders, keepTraceHeaders, withTraceHeader } from "./trace-headers.ts";

/** The longest time for which SQS keeps a message. */
const retentionSeconds = 14 * 86_400;

/**
 * Start the SQS emulator, in memory unless a folder is named. In a folder, a message is stored before its sender gets
 * an answer, and removed when its receiver deletes it, so no message is lost if the process dies.
 */
export async function startQueueService({
  region,
  folder,
}: {
  region: string;
  folder: string | undefined;
}): Promise<{ url: string; stop(): Promise<void> }> {
  await keepTraceHeaders();
  const stores = await createStores();
  const database = folder === undefined ? undefined : await keepQueues(stores, folder, region);
  const app = buildApp({ logger: false, defaultRegion: region, stores });
  app.addHook("onRequest", async ({ headers }, reply) => {
    if (!isLocalProgram(headers)) await reply.code(403).send();
  });
  app.addHook("preHandler", ({ headers }, _reply, done) => withTraceHeader(headers["x-amzn-trace-id"], done));
  app.addHook("preSerialization", async ({ body, socket }, _reply, answer) => {
    const request = (body ?? {}) as ReceiveRequest;
    const { Messages = [] } = (answer ?? {}) as ReceiveAnswer;
    // The package does not notice that a waiting receiver has died, and would assign messages to it.
    if (socket.destroyed) giveBack(stores.sqsStore, request, { Messages });
    else addTraceHeaders(stores.sqsStore.getQueue(request.QueueUrl ?? ""), Messages);
    return answer;
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  localListeners.set(url, (request, response) => app.routing(request, response));
  return {
    url,
    async stop() {
      localListeners.delete(url);
      await app.close();
      database?.close();
    },
  };
}

interface ReceiveRequest {
  readonly QueueUrl?: string;
}

interface ReceiveAnswer {
  readonly Messages?: readonly { readonly ReceiptHandle: string }[];
}

/** Return messages whose receiver is gone, as if they had not been received. */
function giveBack(
  store: Stores["sqsStore"],
  { QueueUrl = "" }: ReceiveRequest,
  { Messages = [] }: ReceiveAnswer,
): void {
  const queue = store.getQueue(QueueUrl);
  for (const { ReceiptHandle } of Messages) {
    const received = queue?.inflightMessages.get(ReceiptHandle);
    if (received !== undefined) received.message.approximateReceiveCount--;
    queue?.changeVisibility(ReceiptHandle, 0);
  }
}

/** Load the queues from a folder, and keep them there from now on. */
async function keepQueues(
  { sqsStore, snsStore }: Stores,
  folder: string,
  region: string,
): Promise<QueueDatabase> {
  const { PersistenceManager } = await load("persistence.js");
  const database = new PersistenceManager(folder);
  // Private only to the type checker.
  const { db } = database as unknown as { db: DatabaseSync };
  const expiredBefore = Date.now() - retentionSeconds * 1000;
  // All receivers ended with the last run. Without full synchronisation, which would cost five times as much, only a
  // power failure could lose messages.
  db.exec(`
    PRAGMA synchronous = NORMAL;
    DELETE FROM sqs_messages WHERE sent_timestamp < ${expiredBefore};
    UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE receipt_handle IS NOT NULL;
  `);
  // The region, which is not part of the names of queues, may have changed.
  const setArns = "UPDATE sqs_queues SET arn = 'arn:aws:sqs:' || ? || ':000000000000:' || name";
  db.prepare(setArns).run(region);
  // The package's own statement sets the number of receives to null, which its table refuses.
  const setReady = db.prepare(
    "UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?",
  );
  database.updateMessageReady = (messageId) => {
    setReady.run(messageId);
  };
  database.loadSqsAndSns(sqsStore, snsStore);
  sqsStore.persistence = database;
  for (const queue of sqsStore.allQueues()) {
    queue.persistence = database;
    const { ready, delayed } = queue.inspectMessages();
    for (const { messageDeduplicationId, messageId, sequenceNumber } of [...ready, ...delayed]) {
      if (messageDeduplicationId === undefined) continue;
      queue.recordDeduplication(messageDeduplicationId, messageId, sequenceNumber);
    }
  }
  return database;
}
