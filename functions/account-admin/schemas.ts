import * as z from "zod";
import { accountStatus } from "#shared/data/account/account.ts";
import * as primitives from "#shared/schemas/primitives.ts";

export const userPath = z.object({ uid: primitives.uuid });

export const newStatus = z.object({ status: z.string().max(64) }).meta({ id: "NewAccountStatus" });

export const currentStatus = z.object({ status: accountStatus }).meta({ id: "AccountStatusView" });
