import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import { legalHoldStatus } from "#shared/teams/member.ts";
import { samlIdentity, scimRecord } from "./provisioned-identity.ts";

/** The service that a bot belongs to. */
export const serviceRef = z
  .object({ id: z.uuid(), provider: z.uuid() })
  .meta({ id: "ServiceRef", description: "The service that a bot belongs to" });
export const storedServiceRef = storedObject(serviceRef.shape);

/** Status of an account as stored; see `currentStatus` for expired ones. */
export const accountStatus = z.enum(["active", "suspended", "deleted", "ephemeral", "pending-invitation"]);
export type AccountStatus = z.infer<typeof accountStatus>;

/** A picture in a profile. */
export const userAsset = z
  .object({
    key: z.string().meta({ description: "Key of an uploaded asset" }),
    type: z.literal("image"),
    size: z.enum(["preview", "complete"]).meta({ id: "UserAssetSize" }).optional(),
  })
  .meta({ id: "UserAsset" });
export const storedAsset = storedObject(userAsset.shape);

/** A protocol that a device can support; a conversation can begin with either. */
export const supportedProtocol = z.enum(["proteus", "mls"]).meta({ id: "SupportedProtocol" });

/** Protocols that all devices of a user support. */
export const supportedProtocols = z
  .array(supportedProtocol)
  .meta({ description: "Protocols that all devices of the user support" });

/** A user account as it is stored. */
export const accountItem = storedItem(
  {
    table: "accounts",
    kind: "account",
    key: ["user#*", "account"],
    subject: {
      user: "partition",
      secrets: ["passwordHash"],
      toTeam: [
        "userId",
        "status",
        "name",
        "handle",
        "email",
        "locale",
        "managedByScim",
        "samlIdentity",
        "scim",
        "teamId",
        "createdAt",
      ],
      remains: "a tombstone: its id never means anybody else",
      mentions: "who has added a bot",
    },
  },
  storedObject({
    userId: z.uuid(),
    /** Increases with each change; a change names the revision that it is based on. */
    revision: z.int(),
    status: accountStatus,
    name: z.string(),
    accentId: z.int(),
    assets: z.array(storedAsset),
    /** Stored as text, because clients may nest it deeper, or use larger numbers, than DynamoDB allows. */
    picture: z.string().transform((text): Record<string, unknown>[] => JSON.parse(text)),
    textStatus: z.string().optional(),
    locale: z.string(),
    supportedProtocols,
    managedByScim: z.boolean(),
    /** Verified identities: each is present exactly when the account holds the claim on it. */
    email: z.string().optional(),
    phone: z.string().optional(),
    /**
     * The email address, if only a trusted directory or identity provider has vouched for it: another user can take it
     * by proving ownership. See `isProvable`.
     */
    unprovenEmail: z.string().optional(),
    handle: z.string().optional(),
    /**
     * Claimed like the identities above. The first one lets the user log in through the company's identity provider.
     */
    samlIdentity: samlIdentity.optional(),
    scim: scimRecord.optional(),
    /** Address and number that still have to be verified. */
    emailUnvalidated: z.string().optional(),
    phoneUnvalidated: z.string().optional(),
    teamId: z.uuid().optional(),
    /** A copy of the member's status, for readers of accounts; absent: `no_consent`. See `legal-hold-status.ts`. */
    legalHoldStatus: legalHoldStatus.optional(),
    /** Bots only: the service that it belongs to. */
    service: storedServiceRef.optional(),
    /** Bots only: the user who has added it; absent: added before this was noted. */
    addedBy: z.uuid().optional(),
    /** Whether it is suspended because of its team, and so resumed with the team. */
    isSuspendedWithTeam: z.literal(true).optional(),
    /** Whether the user has conference calls while without a team; absent: the server's default. */
    conferenceCalling: z.enum(["enabled", "disabled"]).optional(),
    passwordHash: z.string().optional(),
    /** Increases whenever all cookies are revoked, so that a login that started earlier fails. */
    sessionEpoch: z.int(),
    /** Unix milliseconds. */
    createdAt: z.int(),
    /** Anonymous accounts and invitees only: unix milliseconds from which the account counts as deleted. */
    expiresAt: z.int().optional(),
  }),
  {
    userId: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
    revision: 1,
    status: "active",
    name: "Ada",
    accentId: 0,
    assets: [],
    picture: "[]",
    locale: "en",
    supportedProtocols: ["proteus"],
    managedByScim: false,
    email: "ada@example.com",
    handle: "ada",
    sessionEpoch: 0,
    createdAt: 0,
  },
);
export type Account = Stored<typeof accountItem>;

/** Status of an account now: an anonymous or invited one counts as deleted once it has expired. */
export const currentStatus = ({ status, expiresAt }: Account, now: number): AccountStatus =>
  expiresAt !== undefined && expiresAt <= now ? "deleted" : status;

/** Whether an account has expired but is not deleted yet. */
export const isExpired = (account: Account, now: number) =>
  account.status !== "deleted" && currentStatus(account, now) === "deleted";

/**
 * Whether the account has a verified identity, or belongs to an identity provider or directory: until then, it can read
 * but not act.
 */
export const isActivated = ({
  email,
  phone,
  managedByScim,
  samlIdentity,
}: Pick<Account, "email" | "phone" | "managedByScim" | "samlIdentity">) =>
  email !== undefined || phone !== undefined || managedByScim || samlIdentity !== undefined;

/**
 * A claim on an email address, phone number, handle, SAML identity, external id or user name: who owns it, and a copy of
 * what a login needs, so that a login takes one read. `AccountStore.save` keeps the copy in step with the account.
 */
export const claimItem = storedItem(
  {
    table: "accounts",
    kind: "claim",
    key: ["email#*|phone#*|handle#*|saml#*|external-id#*|user-name#*", "*"],
    subject: { user: ["userId"], secrets: ["passwordHash"] },
  },
  storedObject({
    userId: z.uuid(),
    status: accountStatus,
    passwordHash: z.string().optional(),
    sessionEpoch: z.int(),
    teamId: z.uuid().optional(),
    /** Whether the account logs in through the company's identity provider. */
    hasSamlIdentity: z.literal(true).optional(),
    /** Whether the account's address is its `unprovenEmail`. */
    hasUnprovenEmail: z.literal(true).optional(),
  }),
);
export type Claim = Stored<typeof claimItem>;

/** Whether a claimed identity can be taken by proving its ownership. */
export const isProvable = (claim: Claim, { kind }: { readonly kind: string }): boolean =>
  kind === "email" && claim.hasUnprovenEmail === true;

const obstacles = {
  suspended: "suspended",
  ephemeral: "ephemeral",
  "pending-invitation": "pending-activation",
  deleted: "invalid-credentials",
} as const satisfies Partial<Record<AccountStatus, ErrorName>>;

/** Why a user who has proved their identity still cannot log in; undefined for an active account. */
export const loginObstacle = (status: AccountStatus) => (status === "active" ? undefined : obstacles[status]);

/** The part of a deleted account that is kept forever, so that its id never refers to somebody else. */
export const tombstoneOf = ({
  userId,
  locale,
  sessionEpoch,
  createdAt,
}: Account): Omit<Account, "revision"> => ({
  userId,
  status: "deleted",
  name: "default",
  accentId: 0,
  assets: [],
  picture: [],
  locale,
  supportedProtocols: [],
  managedByScim: false,
  sessionEpoch: sessionEpoch + 1,
  createdAt,
});
