import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "people",
  name: "search-indexer",
  summary: "Keeps the search index in step with accounts",
  trigger: { queue: "search-index" },
  tables: { accounts: "read", search: "write", outbox: "write" },
};
