import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "teams",
  name: "team-jobs",
  summary:
    "Deletes teams with their conversations and members, suspends and resumes members with their team, ends legal hold of " +
    "a team, and brings connections and groups in line with legal hold",
  audit: { none: "It goes on with what a request has recorded." },
  trigger: { queue: "team-jobs" },
  tables: {
    accounts: "write",
    clients: "write",
    connections: "write",
    conversations: "write",
    domains: "write",
    notifications: "write",
    outbox: "write",
    provisioning: "write",
    services: "write",
    sockets: "write",
    teams: "write",
    webhooks: "write",
  },
  sends: ["events", "search-index", "socket-closures", "erasures", "conversation-jobs", "team-jobs"],
};
