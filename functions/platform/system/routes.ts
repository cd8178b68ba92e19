import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { utcSecond } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";

const publicSettings = z
  .object({
    setRestrictUserCreation: z.boolean().meta({ description: "Whether clients hide the sign-up form" }),
  })
  .meta({ id: "SystemSettingsPublic" });

const settings = publicSettings
  .extend({ setEnableMls: z.boolean().meta({ description: "Whether MLS can be used" }) })
  .meta({ id: "SystemSettings" });

const serverTime = z.object({ time: utcSecond }).meta({ id: "ServerTime" });

/** Contacts of an address book, which are ignored. */
const addressBook = z
  .looseObject({})
  .meta({ id: "AddressBook", description: "Ignored", examples: [{ self: [], cards: [] }] });

const noMatches = z
  .object({ results: z.array(z.never()), "auto-connects": z.array(z.never()) })
  .meta({ id: "AddressBookMatches" });

export const routes = defineRoutes({
  "get-system-settings-unauthorized": {
    method: "GET",
    path: "/system/settings/unauthorized",
    auth: "none",
    summary: "Get the settings that matter before a login",
    responses: { 200: publicSettings },
    errors: [],
  },
  "get-system-settings": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/system/settings",
    auth: "user",
    summary: "Get the settings that matter to clients",
    responses: { 200: settings },
    errors: [],
  },
  "get-server-time": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/time",
    since: 9,
    auth: "user",
    summary: "Get the time of the service",
    responses: { 200: serverTime },
    errors: [],
  },
  "onboarding-v0": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.preparation,
    path: "/onboarding/v3",
    until: 7,
    auth: "user",
    summary: "Match an address book",
    description: "Never finds anybody; kept for old clients.",
    body: addressBook,
    bodyLimit: 1024 * 1024,
    responses: { 200: noMatches },
    errors: [],
  },
});
