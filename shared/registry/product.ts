import type { AuditEvent } from "./audit-events.ts";
import type { BucketName } from "./buckets.ts";
import type { Domain } from "./domains.ts";
import type { ErrorName } from "./errors.ts";
import type { OAuthScope, OpenIdScope } from "./oauth-scopes.ts";
import type { QueueName, WorkerQueueName } from "./queues.ts";
import type { SecretName } from "./secrets.ts";
import type { Settings } from "./settings.ts";
import type { SwitchName } from "./switches.ts";
import type { TableName } from "./tables.ts";

/** The names and settings of this product. Outside the module below, where the same names are the platform's own. */
interface ThisProduct {
  readonly auditEvent: AuditEvent;
  readonly bucketName: BucketName;
  readonly domain: Domain;
  readonly errorName: ErrorName;
  readonly oauthScope: OAuthScope | OpenIdScope;
  readonly queueName: QueueName;
  readonly secretName: SecretName;
  readonly settings: Settings;
  readonly switchName: SwitchName;
  readonly tableName: TableName;
  readonly workerQueueName: WorkerQueueName;
}

declare module "#shared/platform/product.ts" {
  interface Product extends ThisProduct {}
}
