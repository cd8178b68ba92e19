import type { TableName } from "#shared/registry/tables.ts";

/**
 * What a restore does with a table.
 * - `restored`: as it was at the chosen time, except for what the rules of its items say
 * - `empty`: begins anew; what it held has expired, or its owners put it there again
 * - `live`: stays what it is
 */
export type TablePlan = "restored" | "empty" | "live";

/** The plan of every table. */
export const tablePlans: Readonly<Record<TableName, TablePlan>> = {
  accounts: "restored",
  /** Codes live for days at most, and used ones must not work again. */
  codes: "empty",
  "rate-limits": "empty",
  /** What was about to be sent then has been sent since. */
  outbox: "empty",
  /** Clients notice that the log does not know their place in it, and read everything anew. */
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
  /** Addresses that have bounced since still do. */
  "mail-suppressions": "live",
  search: "restored",
  assets: "restored",
  properties: "restored",
  /** What operators have paused, probably because of the restore. */
  switches: "live",
  /** What has been done since stays recorded, and the chains go on. */
  audit: "live",
  /** Receivers have what was sent since, and what was switched off or deleted stays so. */
  webhooks: "live",
  /** What happened is not undone. */
  statistics: "live",
};
