import * as z from "zod";
import { accountStatus } from "#shared/data/account/account.ts";
import { richInfo } from "#shared/data/rich-info/rich-info.ts";
import * as primitives from "#shared/schemas/primitives.ts";
import { selfProfile } from "#shared/schemas/self-profile.ts";

export const userPath = z.object({ uid: primitives.uuid });

export const newStatus = z.object({ status: z.string().max(64) }).meta({ id: "NewAccountStatus" });

export const currentStatus = z.object({ status: accountStatus }).meta({ id: "AccountStatusView" });

const maxAccounts = 500;

export const accountsQuery = z
  .object({
    ids: primitives.commaSeparated(primitives.uuid, maxAccounts).optional(),
    handles: primitives.commaSeparated(primitives.handle, maxAccounts).optional(),
    email: primitives.queryAddress.optional(),
    phone: primitives.queryAddress.optional(),
    includePendingInvitations: primitives.queryFlag.default(false),
  })
  .refine(
    ({ ids, handles, email, phone }) =>
      [ids, handles, email, phone].filter((key) => key !== undefined).length === 1,
    { message: "exactly one of ids, handles, email and phone is needed" },
  );

export const accountList = z.array(selfProfile);

export const newRichInfo = z.object({ rich_info: richInfo }).meta({ id: "RichInfoUpdate" });
