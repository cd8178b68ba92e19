import * as z from "zod";
import { accountStatus } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { richInfo } from "#shared/accounts/profiles/rich-info.ts";
import { selfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { cursorOf, pageQuery } from "#shared/platform/http/cursor.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

export const userPath = z.object({ uid: wire.userId });

export const newStatus = z
  .object({ status: z.string().max(64).meta({ description: "`active` or `suspended`" }) })
  .meta({ id: "NewAccountStatus", examples: [{ status: "suspended" }] });

export const currentStatus = z.object({ status: accountStatus }).meta({ id: "AccountStatusView" });

const maxAccounts = 500;

export const accountsQuery = z
  .object({
    ids: wire
      .commaSeparated(wire.uuid, maxAccounts)
      .optional()
      .meta({ description: "User ids, separated by commas" }),
    handles: wire
      .commaSeparated(accountTypes.handle, maxAccounts)
      .optional()
      .meta({ description: "Handles, separated by commas" }),
    email: accountTypes.queryAddress.optional().meta({ description: "Verified email address" }),
    phone: accountTypes.queryAddress.optional().meta({ description: "Verified phone number in E.164 form" }),
    includePendingInvitations: wire.queryFlag
      .default(false)
      .meta({ description: "Whether to include accounts whose invitation has not been accepted yet" }),
  })
  .refine(
    ({ ids, handles, email, phone }) =>
      [ids, handles, email, phone].filter((key) => key !== undefined).length === 1,
    { message: "exactly one of ids, handles, email and phone is needed" },
  );

export const accountList = z.array(selfProfile);

/** Cursor in the block-list. */
export const blockedCursor = cursorOf("blocked-addresses", z.strictObject({ after: z.string().max(400) }));

export const blockedQuery = pageQuery(blockedCursor);

export const blockedPage = z
  .object({
    blocked: z.array(z.object({ kind: z.enum(["email", "phone"]), address: z.string() })),
    next: wire.nextCursor.optional(),
  })
  .meta({ id: "BlockedAddresses" });

export const suppressionQuery = z.object({
  email: z
    .string()
    .min(1)
    .max(320)
    .meta({ description: "As the account spells it: another spelling may be another mailbox" }),
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
