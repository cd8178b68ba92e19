/** One DynamoDB table: its keys, and the attribute that says when an item expires. All key attributes are strings. */
export interface TableSpec {
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Attribute with the expiry in unix seconds. Deletion lags, so readers check the expiry themselves. */
  readonly timeToLive?: string;
  /** Index of the items that have both of its attributes. It projects keys only, and follows the table after a moment. */
  readonly index?: { readonly name: string; readonly partitionKey: string; readonly sortKey: string };
}

/** Lists the newest items first: see `newest-first.ts`. */
const byCreation = { name: "by-creation", partitionKey: "listedIn", sortKey: "listedAt" } as const;

/** Every table. CDK, the local runner and the functions' grants read this registry. */
export const tables = {
  /** Accounts, claims on email addresses, phone numbers and handles, cookies, password check limits, and rich info. */
  accounts: { partitionKey: "pk", sortKey: "sk", timeToLive: "expiresAtSeconds", index: byCreation },
  /** Codes sent by email or SMS. */
  codes: { partitionKey: "codeKey", timeToLive: "purgeAtSeconds" },
  /** Token buckets shared by all function instances. */
  "rate-limits": { partitionKey: "bucket", timeToLive: "purgeAtSeconds" },
  /** Messages committed together with the change that causes them, until their worker has handled them. */
  outbox: { partitionKey: "lane", sortKey: "messageId", timeToLive: "purgeAtSeconds" },
  /** Logs of notifications per user and team, queues per device, and payloads that several of them share. */
  notifications: { partitionKey: "stream", sortKey: "position", timeToLive: "purgeAtSeconds" },
  /** Open sockets, device queues and push tokens by user, sockets by their own id, and endpoints of push tokens. */
  sockets: { partitionKey: "owner", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** Connections between users, one item for each side, and how many count towards a user's limit. */
  connections: { partitionKey: "owner", sortKey: "entry" },
  /** Devices of users, with the prekeys and the nonce of each device. */
  clients: { partitionKey: "owner", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** MLS key packages by device and cipher suite. */
  "key-packages": { partitionKey: "owner", sortKey: "reference", timeToLive: "purgeAtSeconds" },
  /** Teams, with their members, invitations, features and legal hold, and invitations by code and by address. */
  teams: { partitionKey: "owner", sortKey: "entry", timeToLive: "purgeAtSeconds", index: byCreation },
  /** Registered email domains and the challenges that prove them, by domain and by team; custom backends. */
  domains: { partitionKey: "owner", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** Identity providers, SCIM tokens, and logins under way at identity providers. */
  provisioning: { partitionKey: "owner", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** Providers and their services, the directory of services, the services that teams admit, and bots by service. */
  services: { partitionKey: "owner", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** Conversations with their members and MLS groups, the lists of users and teams, and guest links. */
  conversations: { partitionKey: "owner", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** Third-party apps, authorization codes, grants of users, and refresh tokens. */
  oauth: { partitionKey: "owner", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** Email addresses that get no mail for a while, because mails to them bounced or their owners complained. */
  "mail-suppressions": { partitionKey: "address", timeToLive: "expiresAtSeconds", index: byCreation },
  /** Words by which users can be found. */
  search: { partitionKey: "list", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** Owners of uploaded files, and the hashes of tokens with which others can read them. */
  assets: {
    partitionKey: "assetKey",
    timeToLive: "expiresAtSeconds",
    index: { name: "by-owner", partitionKey: "ownerId", sortKey: "assetKey" },
  },
  /** Properties that clients store for their user. */
  properties: { partitionKey: "owner", sortKey: "entry" },
  /** Activities that operators have paused. */
  switches: { partitionKey: "switch" },
  /** Records of changes, by hour, until long after they are sealed in files; where each chain of files ends. */
  audit: { partitionKey: "part", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** Numbers of events by day, and consumption and storage of teams. */
  statistics: { partitionKey: "series", sortKey: "entry", timeToLive: "purgeAtSeconds" },
  /** Subscriptions of webhooks, and the log of deliveries to each. */
  webhooks: { partitionKey: "owner", sortKey: "entry", timeToLive: "purgeAtSeconds" },
} as const satisfies Record<string, TableSpec>;

export type TableName = keyof typeof tables;
