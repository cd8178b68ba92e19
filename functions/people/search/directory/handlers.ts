import * as z from "zod";
import type { DirectoryEntry } from "#shared/accounts/search/directory-entry.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { contact } from "../schemas.ts";
import { browseTeam } from "./browse-team.ts";
import { directoryCursor, type routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { clock, settings } = deps;

  const toView = (teamId: string, { samlIdentity, ...entry }: DirectoryEntry): z.input<typeof contact> => ({
    qualified_id: { domain: settings.domain, id: entry.userId },
    id: entry.userId,
    name: entry.name,
    accent_id: entry.accentId,
    handle: entry.handle,
    team: teamId,
    role: entry.role,
    email: entry.email,
    email_unvalidated: entry.emailUnvalidated,
    managed_by: entry.isManagedByScim ? "scim" : settings.vendor,
    saml_idp: samlIdentity?.issuer,
    sso: samlIdentity && { issuer: samlIdentity.issuer, nameid: samlIdentity.nameId.text },
    scim_external_id: entry.externalId,
    created_at: new Date(entry.createdAt).toISOString(),
  });

  return {
    "browse-team": async ({ actor, params: { tid: teamId }, query }) => {
      const { q = "", frole: roles, sortby, sortorder: direction, size, pagingState: after } = query;
      const startedAt = clock();
      const { entries, found, next } = await browseTeam(deps, {
        viewer: { teamId, userId: actor.userId },
        query: q,
        roles,
        order: sortby && { by: sortby, direction },
        size,
        after,
      });
      return {
        body: {
          found,
          returned: entries.length,
          took: clock() - startedAt,
          documents: entries.map((entry) => toView(teamId, entry)),
          search_policy: "full_search",
          has_more: next !== undefined,
          paging_state: next && z.encode(directoryCursor, next),
        },
      };
    },
  };
}
