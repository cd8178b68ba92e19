import type { Worker } from "#shared/family.ts";

export const searchIndexer: Worker = {
  name: "search-indexer",
  summary: "Keeps the search index in step with accounts",
  trigger: { queue: "search-index" },
  tables: { accounts: "read", search: "write", outbox: "write" },
};
