import * as z from "zod";

export const accountStatus = z.enum(["active", "suspended", "deleted", "ephemeral", "pending-invitation"]);
export type AccountStatus = z.infer<typeof accountStatus>;

export const userAsset = z.object({
  key: z.string(),
  type: z.literal("image"),
  size: z.enum(["preview", "complete"]).optional(),
});

/** What the devices of a user understand. */
export const supportedProtocols = z.array(z.enum(["proteus", "mls"]));

/** A user account as it is stored (spec heading User account). */
export const accountItem = z.object({
  userId: z.uuid(),
  /** Grows with each change; a change names the revision that it rests on. */
  revision: z.int(),
  status: accountStatus,
  name: z.string(),
  accentId: z.int(),
  assets: z.array(userAsset),
  /** Stored as text: clients may nest it deeper, and name larger numbers, than DynamoDB takes. */
  picture: z.string().transform((text): Record<string, unknown>[] => JSON.parse(text)),
  textStatus: z.string().optional(),
  locale: z.string(),
  supportedProtocols,
  managedByScim: z.boolean(),
  /** Verified identities: present exactly when the account holds the claim. */
  email: z.string().optional(),
  phone: z.string().optional(),
  handle: z.string().optional(),
  /** Address and number that wait for their confirmation. */
  emailUnvalidated: z.string().optional(),
  phoneUnvalidated: z.string().optional(),
  teamId: z.uuid().optional(),
  passwordHash: z.string().optional(),
  /** Grows whenever all cookies are revoked: a login that began before comes too late. */
  sessionEpoch: z.int(),
  /** Unix milliseconds. */
  createdAt: z.int(),
  /** Anonymous accounts only: unix milliseconds from which the account counts as deleted. */
  expiresAt: z.int().optional(),
});
export type Account = z.infer<typeof accountItem>;

/** Status after expiry has been taken into account: an anonymous account past its end is deleted. */
export const currentStatus = ({ status, expiresAt }: Account, now: number): AccountStatus =>
  expiresAt !== undefined && expiresAt <= now ? "deleted" : status;

/** Whether an anonymous account is past its end, and nobody has deleted it yet. */
export const isExpired = (account: Account, now: number) =>
  account.status === "ephemeral" && currentStatus(account, now) === "deleted";

/** Whether the account has a verified identity: before, it may look around but not act. */
export const isActivated = ({ email, phone, managedByScim }: Omit<Account, "revision">) =>
  email !== undefined || phone !== undefined || managedByScim;

/**
 * What stands behind an e-mail address, phone number or handle: who owns it, and what a login needs, so that a login
 * is one read. `AccountStore.save` keeps the copy in step with the account.
 */
export const claimItem = z.object({
  userId: z.uuid(),
  status: accountStatus,
  passwordHash: z.string().optional(),
  sessionEpoch: z.int(),
  teamId: z.uuid().optional(),
});
export type Claim = z.infer<typeof claimItem>;
