import * as z from "zod";
import { accentId } from "#shared/accounts/profiles/profile-fields.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { role } from "#shared/teams/permissions.ts";

export const size = z.int().min(1).max(500);
export const querySize = z.coerce.number().pipe(size);
export const sizeHint = { description: "Maximum number of users in the answer; 15 by default" };
export const defaultSize = 15;

export const contact = z
  .object({
    qualified_id: wire.qualifiedId,
    id: z.uuid(),
    name: z.string(),
    accent_id: accentId,
    handle: z.string().optional().meta({ description: "Without `@`" }),
    team: z.uuid().optional().meta({ description: "Id of the user's team" }),
    role: role
      .optional()
      .meta({ description: "Role in the team; this and the following fields: `browse-team` only" }),
    email: z.string().optional(),
    email_unvalidated: z.string().optional().meta({ description: "Address that the user has to confirm" }),
    managed_by: z.string().optional().meta({ description: "`scim` when provisioning manages the user" }),
    saml_idp: z.string().optional().meta({ description: "Issuer of the user's identity provider" }),
    sso: z
      .object({
        issuer: z.string().meta({ description: "Entity id of the identity provider" }),
        nameid: z.string().meta({ description: "The `NameID` of SAML" }),
      })
      .optional()
      .meta({ id: "Sso", description: "Name of the user at the identity provider" }),
    scim_external_id: z.string().optional().meta({ description: "Id of the user in the directory" }),
    created_at: wire.utcTime.optional().meta({ description: "When the account was created" }),
  })
  .meta({ id: "TeamContact" });

export const searchResult = z
  .object({
    found: z.int().meta({ description: "Matches; of contacts, those found so far, including earlier pages" }),
    returned: z.int().meta({ description: "Users in this answer" }),
    took: z.int().meta({ description: "Milliseconds that the search took" }),
    documents: z
      .array(contact)
      .meta({ description: "In the requested order; by default best matches first" }),
    search_policy: z
      .enum(["no_search", "exact_handle_search", "full_search"])
      .meta({ description: "How the domain can be searched" }),
    has_more: wire.hasMore,
    paging_state: wire.nextCursor.optional(),
  })
  .meta({ id: "SearchResult" });
