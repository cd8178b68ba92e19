import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../../deps.ts";
import { acceptsGzip, exportMembers, gzipped, joined } from "./export-members.ts";

/**
 * The members of a team as a file to download.
 * @throws ApiError `access-denied`, `export-too-large`
 */
export async function exportAnswer(deps: Deps, membership: Membership, acceptEncoding: string | undefined) {
  const lines = await exportMembers(deps, membership);
  const isCompressed = acceptsGzip(acceptEncoding);
  return {
    headers: {
      "content-disposition": `attachment; filename="${deps.settings.vendor}_team_members.csv"`,
      vary: "Accept-Encoding",
      ...(isCompressed && { "content-encoding": "gzip" }),
    },
    body: isCompressed ? await gzipped(lines) : await joined(lines),
  };
}
