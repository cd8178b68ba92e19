import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "people",
  name: "search-indexer",
  summary: "Keeps the search index and the directories of teams in step with accounts and teams",
  audit: { none: "It goes on with what a request has recorded." },
  trigger: { queue: "search-index" },
  tables: { accounts: "read", search: "write", teams: "read", outbox: "write" },
  scans: ["outbox"],
  lists: ["accounts"],
  sends: ["search-index"],
};
