import type { DirectoryEntry } from "#shared/accounts/search/directory-entry.ts";
import { toWords } from "#shared/accounts/search/words.ts";
import { toAsciiAddress, toUnicodeAddress } from "#shared/platform/email-address.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Role } from "#shared/teams/permissions.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { type FoundMember, type MemberOrder, pageOf } from "./member-order.ts";
import type { DirectoryCursor } from "./routes.ts";

export interface BrowseCommand {
  /** The viewer and the team. */
  readonly viewer: Membership;
  readonly query: string;
  /** Absent: all roles. */
  readonly roles: readonly Role[] | undefined;
  /** Absent: by relevance, or newest first without a query. */
  readonly order: MemberOrder | undefined;
  readonly size: number;
  readonly after: DirectoryCursor | undefined;
}

export interface DirectoryPage {
  readonly entries: readonly DirectoryEntry[];
  /** Members on all pages. */
  readonly found: number;
  /** Where the next page starts; undefined when there is none. */
  readonly next: DirectoryCursor | undefined;
}

/**
 * Find members of a team, including suspended ones. Reads the whole directory of the team and sorts it in memory.
 *
 * @throws ApiError `insufficient-permissions` unless the viewer is a member who may add others; `bad-request` for a cursor of
 *   another order
 * @see operation `browse-team`
 */
export async function browseTeam(deps: Deps, command: BrowseCommand): Promise<DirectoryPage> {
  const { viewer, query, roles, size, after } = command;
  const { teamId } = viewer;
  const entries = await deps.directory.list(teamId, await countMembers(deps, viewer));
  const words = toWords(query);
  const members = entries
    .filter(({ role }) => roles === undefined || (role !== undefined && roles.includes(role)))
    .map((entry): FoundMember | undefined => {
      const score = matchMember(entry, words);
      return score === undefined ? undefined : { entry, score };
    })
    .filter((member) => member !== undefined);
  const defaultOrder: MemberOrder = { by: words.length > 0 ? "relevance" : "created_at", direction: "desc" };
  const page = pageOf(members, command.order ?? defaultOrder, { after, size });
  if (page === undefined) throw new ApiError("bad-request", { message: "pagingState: not of this search" });
  return { ...page, found: members.length };
}

async function countMembers({ teams }: Deps, viewer: Membership): Promise<number> {
  const [team, member] = await Promise.all([teams.get(viewer.teamId), teams.getMember(viewer)]);
  checkMember(member, { permission: "AddTeamMember" }, insufficientPermissions);
  return team?.memberCount ?? 0;
}

const weights = { wholeAddress: 4, wholeNameWord: 3, addressPrefix: 2, namePrefix: 1 };

/**
 * Score a member against the words of a query: the sum of each word's best match in name, handle or email address.
 * Undefined unless every word matches something; 0 without words.
 */
export function matchMember(
  { handle, email, emailUnvalidated, nameWords }: DirectoryEntry,
  queryWords: readonly string[],
): number | undefined {
  const addresses = [handle, email, emailUnvalidated].flatMap((address) =>
    address === undefined ? [] : spellingsOf(address.toLowerCase()),
  );
  let sum = 0;
  for (const queryWord of queryWords) {
    const score = scoreOf(queryWord, addresses, nameWords);
    if (score === 0) return undefined;
    sum += score;
  }
  return sum;
}

/** The words of an address, with both forms of an internationalised domain. */
function spellingsOf(address: string): string[] {
  const ascii = toAsciiAddress(address);
  return ascii.includes("xn--") ? [ascii, ...toWords(toUnicodeAddress(ascii))] : [address];
}

function scoreOf(queryWord: string, addresses: readonly string[], nameWords: readonly string[]): number {
  const isFound = (word: string) => word.startsWith(queryWord);
  if (addresses.includes(queryWord)) return weights.wholeAddress;
  if (nameWords.includes(queryWord)) return weights.wholeNameWord;
  if (addresses.some(isFound)) return weights.addressPrefix;
  return nameWords.some(isFound) ? weights.namePrefix : 0;
}
