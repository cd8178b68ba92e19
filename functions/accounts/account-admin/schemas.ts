import * as z from "zod";
import { accountStatus } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { richInfo } from "#shared/accounts/profiles/rich-info.ts";
import { selfProfile } from "#shared/accounts/profiles/self-profile.ts";
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

export const newRichInfo = z.object({ rich_info: richInfo }).meta({
  id: "RichInfoUpdate",
  examples: [{ rich_info: { version: 0, fields: [{ type: "Department", value: "Engines" }] } }],
});
