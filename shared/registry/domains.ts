/** Introduction to a domain in the API document. */
export interface DomainText {
  readonly title: string;
  readonly introduction: string;
}

/** The parts of the product, each a folder below `functions/`, in the order in which the API document presents them. */
export const domains = {
  accounts: {
    title: "Accounts",
    introduction:
      "How people register, verify an address, log in, and change or delete their account. Until an email address or phone " +
      "number is verified, an account can read but not act.",
  },
  people: {
    title: "People",
    introduction:
      "Other users: profiles, search, and the connections that two users need to talk to each other. " +
      "Properties are values that a user's own devices share.",
  },
  devices: {
    title: "Devices",
    introduction:
      "The devices of a user (*clients* in the paths), and the keys that others need to encrypt for them: " +
      "prekeys for Proteus, key packages for MLS. Push tokens tell how to wake a device that is not " +
      "connected.",
  },
  teams: {
    title: "Teams",
    introduction:
      "Organisations: a user founds a team or upgrades to one, invites others, gives them roles, and " +
      "switches features. A member belongs to one team, and leaving it means losing the account.",
  },
  provisioning: {
    title: "Single sign-on and provisioning",
    introduction:
      "How a company's people get their accounts and log in: through the company's identity provider (SAML " +
      "2.0), and through its directory, which creates and changes the members of a team with SCIM 2.0 (RFC " +
      "7643, RFC 7644).",
  },
  conversations: {
    title: "Conversations",
    introduction:
      "Groups, channels and one-to-one conversations, their members and guest links, and the end-to-end " +
      "encrypted messages in them, which the service passes on to the members' devices without being able " +
      "to read them.",
  },
  services: {
    title: "Services",
    introduction:
      "Bots of outside companies and developers: a *provider* registers *services*, teams choose which they admit, and " +
      "members add them to conversations as bots, which use an interface of their own with a token of their own.",
  },
  assets: {
    title: "Assets",
    introduction:
      "Files of messages and profiles, which clients encrypt before they upload them. An asset that is not public is read " +
      "with its token, which travels inside the message; the bytes come from an address that is valid for minutes.",
  },
  oauth: {
    title: "OAuth",
    introduction:
      "Access for apps that the operator has approved: OAuth 2.0 with authorization codes and PKCE (RFC 6749, RFC 7636). Off by " +
      "default; while it is off, most of this answers 403 `forbidden`.",
  },
  events: {
    title: "Events",
    introduction:
      "What happened: live over a WebSocket, or later as a list of notifications. A notification carries one or more events; " +
      "the webhooks of this document describe them.",
  },
  platform: {
    title: "Platform",
    introduction: "The service itself: versions, settings, time, call servers, and this document.",
  },
} as const satisfies Record<string, DomainText>;

export type Domain = keyof typeof domains;
