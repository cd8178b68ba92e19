import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { richInfo } from "#shared/accounts/profiles/rich-info.ts";
import { ssoId } from "#shared/accounts/profiles/sso-id.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { role } from "#shared/teams/permissions.ts";

const name = z.string().min(1).max(128).meta({ description: "Display name" });
/** Must be in lower case; anything else gets `invalid-handle`. */
const handle = z.string().max(512).meta({ description: "Without `@`" });
const managedBy = z.string().max(64).meta({ description: "`scim`, or the vendor's word" });
/** One of the two forms. */
const namedSsoId = z.union([
  ssoId.pick({ scim_external_id: true }).required().strict(),
  ssoId.pick({ tenant: true, subject: true }).required().strict(),
]);

export const nameUpdate = z.object({ name }).meta({ id: "ProvisionedName", examples: [{ name: "Ada" }] });
export const handleUpdate = z
  .object({ handle })
  .meta({ id: "ProvisionedHandle", examples: [{ handle: "ada" }] });
export const localeUpdate = z
  .object({ locale: accountTypes.locale })
  .meta({ id: "ProvisionedLocale", examples: [{ locale: "de" }] });
export const localeView = z.object({ locale: z.string() }).meta({ id: "DefaultLocale" });
export const managedByUpdate = z
  .object({ managed_by: managedBy })
  .meta({ id: "ManagedByUpdate", examples: [{ managed_by: "scim" }] });
export const ssoIdUpdate = namedSsoId.meta({
  id: "SsoIdUpdate",
  examples: [{ scim_external_id: "ada@example.com" }],
});

export const newUser = z
  .object({
    user_id: wire.userId,
    sso_id: namedSsoId,
    name,
    team: wire.uuid.meta({ description: "Id of the team" }),
    managed_by: managedBy,
    handle: handle.optional(),
    rich_info: richInfo.optional(),
    locale: accountTypes.locale.optional(),
    role: role.default("member"),
  })
  .meta({
    id: "NewSsoUser",
    examples: [
      {
        user_id: "7f0e3a52-98c6-4b27-b7e5-0d1f6a3c9b84",
        sso_id: {
          tenant: '<Issuer xmlns="urn:oasis:names:tc:SAML:2.0:assertion">https://idp.example.com</Issuer>',
          subject: '<NameID xmlns="urn:oasis:names:tc:SAML:2.0:assertion">ada</NameID>',
        },
        name: "Ada",
        team: "0b6c9d58-3a0e-4a53-8f1c-2f4a7f2d9e10",
        managed_by: "scim",
        role: "member",
      },
    ],
  });

export const handlePath = z.object({ handle });

/** A user's rich info takes up to 40 KB in its two forms. */
const maxUsers = 100;
export const richInfoQuery = z.object({
  ids: wire.commaSeparated(wire.uuid, maxUsers).meta({ description: "User ids, separated by commas" }),
});
export const scimRichInfo = z
  .record(z.string(), z.unknown())
  .meta({ id: "ScimRichInfo", description: "Both extensions of a SCIM user, by their URNs" });
export const richInfoPairs = z.array(z.tuple([z.uuid(), scimRichInfo]).rest(z.never()));
