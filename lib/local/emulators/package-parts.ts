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

/** A part of an unfinished object. */
interface StoredPart {
  readonly partNumber: number;
  readonly etag: string;
  readonly body: Buffer;
}

/** Parts of an unfinished object, which the package keeps private; undefined if there is no such upload. */
export const partsOf = ({ s3Store }: Stores, uploadId: string): StoredPart[] | undefined => {
  const uploads: ReadonlyMap<string, { readonly parts: ReadonlyMap<number, StoredPart> }> = Reflect.get(
    s3Store,
    "multipartUploads",
  );
  const parts = uploads.get(uploadId)?.parts.values();
  return parts && [...parts].toSorted((one, other) => one.partNumber - other.partNumber);
};
