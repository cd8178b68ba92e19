import type { TableName } from "#shared/registry/tables.ts";

/**
 * The treatment of a table in a restore.
 * - `restored`: as it was at the chosen time, changed by the rules for its items
 * - `empty`: starts empty; its items have expired, or their owners store them again
 * - `live`: does not change
 */
export type TablePlan = "restored" | "empty" | "live";

/** The plan of every table. */
export const tablePlans: Readonly<Record<TableName, TablePlan>> = {
  accounts: "restored",
  /** Codes live for days at most, and used ones must not work again. */
  codes: "empty",
  "rate-limits": "empty",
  /** Messages that were waiting then have been sent since. */
  outbox: "empty",
  /** Clients notice that the log has lost their place, and read everything again. */
  notifications: "empty",
  /** Clients connect, and register their push tokens, when they start. */
  sockets: "empty",
  connections: "restored",
  clients: "restored",
  /** Each is used once; devices upload new ones. */
  "key-packages": "empty",
  teams: "restored",
  domains: "restored",
  provisioning: "restored",
  services: "restored",
  conversations: "restored",
  oauth: "restored",
  /** Addresses that have bounced since would bounce again. */
  "mail-suppressions": "live",
  search: "restored",
  assets: "restored",
  properties: "restored",
  /** Operators may have paused something because of the restore. */
  switches: "live",
  /** Later actions stay recorded, and the chains continue. */
  audit: "live",
  /** Receivers have the events that were sent since, and webhooks that were switched off or deleted stay so. */
  webhooks: "live",
  /** A restore does not undo the use that was counted. */
  statistics: "live",
};
