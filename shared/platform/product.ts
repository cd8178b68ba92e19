/**
 * The platform's knowledge of the product, as types only. The product's registry fills it by declaration merging, so
 * that names are checked here without an import of the registry.
 *
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: the registry adds the members
export interface Product {}

type Declared<Key extends string> = Product extends Readonly<Record<Key, infer Type>> ? Type : never;

export type AuditEvent = Declared<"auditEvent">;
export type BucketName = Declared<"bucketName">;
export type Domain = Declared<"domain">;
export type ErrorName = Declared<"errorName">;
export type OAuthScope = Declared<"oauthScope">;
export type QueueName = Declared<"queueName">;
export type SecretName = Declared<"secretName">;
export type Settings = Declared<"settings">;
export type SwitchName = Declared<"switchName">;
export type TableName = Declared<"tableName">;
/** Queues that workers of the product receive from. */
export type WorkerQueueName = Declared<"workerQueueName">;
