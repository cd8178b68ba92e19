import { hideOtherMethods } from "#shared/platform/http/route.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { routes as members } from "./members/routes.ts";
import { routes as policy } from "./policy/routes.ts";
import { routes as service } from "./service/routes.ts";
import { routes as whitelist } from "./whitelist/routes.ts";

export const routes = hideOtherMethods({ ...service, ...members, ...policy, ...whitelist });

export const family: Family = {
  domain: "teams",
  name: "legal-hold",
  summary: "Legal hold: the service of a team, and the devices through which it reads what members write",
  routes,
  tables: {
    accounts: "write",
    clients: "write",
    connections: "write",
    conversations: "write",
    outbox: "write",
    "rate-limits": "write",
    sockets: "write",
    teams: "write",
    audit: "record",
  },
  sends: ["events", "socket-closures", "team-jobs"],
  secrets: ["signing-keys", "verification-keys"],
};
