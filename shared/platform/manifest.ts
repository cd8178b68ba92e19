import { auditOf, type RouteTable } from "./http/route.ts";
import type { BucketName, Domain, QueueName, SecretName, TableName, WorkerQueueName } from "./product.ts";

/**
 * `record`: writes items, but neither reads nor removes any. `insert`: reads, and adds items, but neither changes nor removes
 * any. `write`: everything but scans. `count`: updates single items, and reads none.
 */
export type TableAccess = "record" | "read" | "insert" | "write" | "count";

/** Access of a function to the objects of a bucket; `parts`: to the list of the parts of an unfinished one. */
export type BucketAccess = "read" | "write" | "parts" | "delete" | "list";

/** AWS resources that a function may use. Grants, environment variables and the local wiring follow from it. */
export interface Access {
  readonly tables?: Readonly<Partial<Record<TableName, TableAccess>>>;
  /** Tables among those above that it scans; only for functions that nobody waits for. */
  readonly scans?: readonly TableName[];
  /** Tables among those above of which it queries the index. */
  readonly lists?: readonly TableName[];
  /** Its access to the objects of buckets. */
  readonly buckets?: Readonly<Partial<Record<BucketName, readonly BucketAccess[]>>>;
  /** Queues it sends to. */
  readonly sends?: readonly QueueName[];
  /** Secrets it reads. */
  readonly secrets?: readonly SecretName[];
  /** Secrets it writes. */
  readonly rotates?: readonly SecretName[];
  readonly delivers?: readonly ("email" | "sms")[];
  /** Its access to the endpoints of push tokens: it creates, maintains and deletes them, or pushes to them. */
  readonly pushes?: readonly ("register" | "release" | "wake")[];
  /** Whether it uses the public API and the sockets as a client does, by their public addresses. */
  readonly isClient?: boolean;
  /** Whether it posts to open sockets and closes them. */
  readonly posts?: boolean;
}

/** Manifest of an endpoint family: one Lambda function behind both HTTP APIs, in `functions/<domain>/<name>/`. */
export interface Family extends Access {
  readonly domain: Domain;
  readonly name: string;
  readonly summary: string;
  readonly routes: RouteTable;
  /** Kinds of items that most first requests read, by table and kind: a start builds their schemas. Each has an example. */
  readonly firstReads?: readonly `${TableName}/${string}`[];
  /** Whether its responses also forbid HTTP/1.0 caches to keep them (SAML bindings 3.5.5.1). */
  readonly forbidsOldCaches?: boolean;
}

/** Whether the audit trail records what a family changes, or shows to callers of the internal API. */
export const isAudited = ({ routes }: Pick<Family, "routes">): boolean =>
  Object.values(routes).some((route) => auditOf(route, true) !== undefined);

/** A family that the audit trail records may write to it. */
export const audited = (family: Family): Family =>
  isAudited(family) ? { ...family, tables: { audit: "record", ...family.tables } } : family;

/** Resources of any function, and how it is called. */
export type FunctionAccess = Access &
  Partial<Pick<Family, "routes" | "firstReads"> & Pick<Worker, "trigger">>;

/** Whether requests reach a function through the entrance, if there is one. */
export const isBehindEntrance = ({ routes, trigger }: FunctionAccess): boolean =>
  routes !== undefined || (trigger !== undefined && "sockets" in trigger);

/** Manifest of a function that no client calls, in `functions/<domain>/<name>/`. */
export interface Worker extends Access {
  readonly domain: Domain;
  readonly name: string;
  readonly summary: string;
  /** Why the audit trail does not record its changes. */
  readonly audit: { readonly none: string };
  readonly trigger:
    | { readonly queue: WorkerQueueName }
    | { readonly everySeconds: number }
    /** Opening and closing sockets, and their acknowledgements. */
    | { readonly sockets: true }
    /** Lines about frames in the log of the WebSocket API. */
    | { readonly socketLog: true }
    | { readonly rotationOf: SecretName; readonly everyDays: number };
}

/** Whether a function records its consumption by payer. */
export const isMetered = ({ tables }: FunctionAccess): boolean => tables !== undefined;

/** A manifest with the resources for recording consumption. */
export const metered = <Manifest extends FunctionAccess>(manifest: Manifest): Manifest =>
  isMetered(manifest)
    ? { ...manifest, tables: { ...manifest.tables, statistics: manifest.tables?.statistics ?? "count" } }
    : manifest;
