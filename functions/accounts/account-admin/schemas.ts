import * as z from "zod";
import { accountStatus } from "#shared/accounts/account.ts";
import { hasOneAddress, oneAddressNeeded, queryAddress } from "#shared/accounts/account-types.ts";
import { richInfo } from "#shared/accounts/profiles/rich-info.ts";
import { cursorOf, newestQuery, pageQuery } from "#shared/platform/http/cursor.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

export const userPath = z.object({ uid: wire.userId });

export const newStatus = z
  .object({ status: z.string().max(64).meta({ description: "`active` or `suspended`" }) })
  .meta({ id: "NewAccountStatus", examples: [{ status: "suspended" }] });

export const currentStatus = z.object({ status: accountStatus }).meta({ id: "AccountStatusView" });

export const activity = z
  .object({
    last_login: wire.utcTime
      .optional()
      .meta({ description: "When the user last logged in, or registered, by whatever means" }),
    active_on: z.iso.date().optional().meta({
      description:
        "The last day, in UTC, on which the user logged in, or a client of theirs renewed its access",
    }),
  })
  .meta({ id: "UserActivity" });

export const userList = newestQuery("users");

export const listedUser = z
  .object({
    id: wire.uuid,
    name: z.string(),
    status: accountStatus,
    created_at: wire.utcTime,
    handle: z.string().optional().meta({ description: "Without `@`" }),
    email: z.string().optional().meta({ description: "Verified" }),
    email_unvalidated: z.string().optional().meta({ description: "Not verified yet" }),
    phone: z.string().optional().meta({ description: "Verified, in E.164 form" }),
    team: wire.uuid.optional(),
  })
  .meta({ id: "ListedUser" });

export const userPage = z
  .object({ users: z.array(listedUser), next: wire.nextCursor.optional() })
  .meta({ id: "ListedUsers" });

/** Longer than the texts that identity providers and directories send. */
const maxIdentity = 2048;

export const identityQuery = z
  .object({
    issuer: z
      .string()
      .min(1)
      .max(maxIdentity)
      .optional()
      .meta({ description: "Entity id of the identity provider" }),
    name_id: z
      .string()
      .min(1)
      .max(maxIdentity)
      .optional()
      .meta({ description: "Text of the `NameID` at the identity provider; its case does not matter" }),
    external_id: z
      .string()
      .min(1)
      .max(maxIdentity)
      .optional()
      .meta({ description: "`externalId` in the directory of the team" }),
    team: wire.uuid.optional().meta({ description: "Whose members to look for; needed with `external_id`" }),
  })
  .refine(
    ({ issuer, name_id, external_id, team }) =>
      external_id === undefined
        ? issuer !== undefined && name_id !== undefined
        : team !== undefined && issuer === undefined && name_id === undefined,
    { message: "either issuer and name_id are needed, or external_id and team" },
  );

/** What an operation of the block-list is about. */
export const blockQuery = z
  .object({
    email: queryAddress
      .optional()
      .meta({ description: "Email address, or after an `@` a domain: all of its addresses" }),
    phone: queryAddress.optional(),
  })
  .refine(hasOneAddress, oneAddressNeeded);

/** Cursor in the block-list. */
export const blockedCursor = cursorOf("blocked-addresses", z.strictObject({ after: z.string().max(400) }));

export const blockedQuery = pageQuery(blockedCursor);

export const blockedPage = z
  .object({
    blocked: z.array(z.object({ kind: z.enum(["email", "phone", "domain"]), address: z.string() })),
    next: wire.nextCursor.optional(),
  })
  .meta({ id: "BlockedAddresses" });

/** Longer than any address. */
const mailAddress = z.string().min(1).max(320);

export const suppressionList = newestQuery("mail-suppressions", mailAddress);

export const suppressionPage = z
  .object({
    suppressions: z.array(
      z.object({
        email: z.string().meta({ description: "As the mail that was reported spelled it" }),
        reason: z.enum(["bounce", "complaint"]),
        reported_at: wire.utcTime.meta({ description: "When it was last reported" }),
        expires_at: wire.utcSecond,
      }),
    ),
    next: wire.nextCursor.optional(),
  })
  .meta({ id: "MailSuppressions" });

export const suppressionQuery = z.object({
  email: mailAddress.meta({
    description: "As the account spells it: another spelling may be another mailbox",
  }),
});

export const suppression = z
  .object({
    email: z.string(),
    reason: z.enum(["bounce", "complaint"]),
    expires_at: wire.utcSecond,
  })
  .meta({ id: "MailSuppression" });

export const newRichInfo = z.object({ rich_info: richInfo }).meta({
  id: "RichInfoUpdate",
  examples: [{ rich_info: { version: 0, fields: [{ type: "Department", value: "Engines" }] } }],
});
