import * as z from "zod";
import { utcSecond } from "#shared/platform/http/wire-types.ts";

export const publicSettings = z
  .object({
    setRestrictUserCreation: z.boolean().meta({ description: "Whether clients hide the sign-up form" }),
  })
  .meta({ id: "SystemSettingsPublic" });

export const settings = publicSettings
  .extend({ setEnableMls: z.boolean().meta({ description: "Whether MLS can be used" }) })
  .meta({ id: "SystemSettings" });

export const serverTime = z.object({ time: utcSecond }).meta({ id: "ServerTime" });

/** Contacts of an address book, which are ignored. */
export const addressBook = z
  .looseObject({})
  .meta({ id: "AddressBook", description: "Ignored", examples: [{ self: [], cards: [] }] });

export const noMatches = z
  .object({ results: z.array(z.never()), "auto-connects": z.array(z.never()) })
  .meta({ id: "AddressBookMatches" });
