import * as z from "zod";
import { supportedProtocols, userAsset } from "../data/account/account.ts";
import { defineEvent } from "./event.ts";

const profile = z.object({
  id: z.uuid(),
  name: z.string().optional(),
  accent_id: z.int32().optional(),
  assets: z.array(userAsset).optional(),
  picture: z.array(z.record(z.string(), z.unknown())).optional(),
  text_status: z.string().optional(),
  handle: z.string().optional(),
  supported_protocols: supportedProtocols.optional(),
  team: z.uuid().optional(),
  /** False unless the single sign-on identity is being removed. */
  sso_id_deleted: z.boolean(),
});

/** A profile changes, as others see it; only the changed fields are there. */
export const userUpdate = defineEvent({
  type: "user.update",
  recipients: "contacts",
  schema: z.object({ user: profile }),
});

/** A user's locale or verified identity changes, which is nobody else's business. */
export const userUpdatePrivately = defineEvent({
  type: "user.update",
  recipients: "self",
  schema: z.object({
    user: z.object({
      id: z.uuid(),
      locale: z.string().optional(),
      email: z.string().optional(),
      phone: z.string().optional(),
    }),
  }),
});
