import type { Family } from "#shared/platform/manifest.ts";
import { routes as creation } from "./creation/routes.ts";
import { routes as guestLinks } from "./guest-links/routes.ts";
import { routes as members } from "./members/routes.ts";
import { routes as messages } from "./messages/routes.ts";
import { routes as mls } from "./mls/routes.ts";
import { routes as olderAssets } from "./older-assets/routes.ts";
import { routes as reading } from "./reading/routes.ts";
import { routes as roles } from "./roles/routes.ts";
import { routes as settings } from "./settings/routes.ts";
import { routes as subconversations } from "./subconversations/routes.ts";
import { routes as teamConversations } from "./team-conversations/routes.ts";

export const routes = {
  ...creation,
  ...guestLinks,
  ...members,
  ...messages,
  ...mls,
  ...olderAssets,
  ...reading,
  ...roles,
  ...settings,
  ...subconversations,
  ...teamConversations,
};

export const family: Family = {
  domain: "conversations",
  name: "conversations",
  summary: "Conversations, their members, guest links, messages and MLS groups",
  routes,
  tables: {
    accounts: "write",
    clients: "read",
    connections: "read",
    conversations: "write",
    "key-packages": "read",
    outbox: "write",
    "rate-limits": "write",
    services: "write",
    switches: "read",
    teams: "read",
    audit: "record",
  },
  firstReads: ["clients/devices", "conversations/conversation", "conversations/member"],
  sends: ["conversation-jobs", "erasures", "events"],
  secrets: ["guest-link-key", "mls-removal-seed", "verification-keys"],
};
