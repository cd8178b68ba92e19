import type { ReceiveMessageCommandInput, ReceiveMessageCommandOutput } from "@aws-sdk/client-sqs";
import type { BuildAppOptions } from "fauxqs";

export type Stores = NonNullable<BuildAppOptions["stores"]>;
export type QueueStore = Stores["sqsStore"];
type ObjectStore = Stores["s3Store"];

/** Parts that the package of queues and objects does not export: its storage in files. */
interface Parts {
  readonly "sqs/sqsStore.js": {
    readonly SqsStore: new () => QueueStore;
    readonly SqsQueue: new (...options: never[]) => LocalSqsQueue;
  };
  readonly "sqs/actions/receiveMessage.js": {
    readonly receiveMessage: (
      request: ReceiveMessageCommandInput,
      store: QueueStore,
    ) => Promise<Pick<ReceiveMessageCommandOutput, "Messages">>;
  };
  readonly "sns/snsStore.js": { readonly SnsStore: new () => Stores["snsStore"] };
  readonly "s3/s3Store.js": { readonly S3Store: new () => ObjectStore };
  readonly "s3/fileS3Persistence.js": {
    readonly FileS3Persistence: new (
      folder: string,
    ) => NonNullable<ObjectStore["persistence"]> & { loadS3(store: ObjectStore): void };
  };
  readonly "persistence.js": { readonly PersistenceManager: new (folder: string) => QueueDatabase };
}

/** A queue of the package. */
export type LocalSqsQueue = NonNullable<ReturnType<QueueStore["getQueue"]>>;

/** Keeps the queues and their messages in a database, which receives every change. */
export type QueueDatabase = NonNullable<QueueStore["persistence"]>;

export const load = <Name extends keyof Parts>(file: Name): Promise<Parts[Name]> =>
  import(new URL(file, import.meta.resolve("fauxqs")).href);

/** Stores that keep nothing. */
export async function createStores(): Promise<Stores> {
  const [{ SqsStore }, { SnsStore }, { S3Store }] = await Promise.all([
    load("sqs/sqsStore.js"),
    load("sns/snsStore.js"),
    load("s3/s3Store.js"),
  ]);
  return { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
}
