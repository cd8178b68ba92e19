import type { DirectoryEntry } from "#shared/accounts/search/directory-entry.ts";
import type { DirectoryCursor, sortFields } from "./routes.ts";

/** An order of members; those without the field come last in either direction. */
export interface MemberOrder {
  readonly by: (typeof sortFields)[number] | "relevance";
  readonly direction: "asc" | "desc";
}

/** A member who was found. */
export interface FoundMember {
  readonly entry: DirectoryEntry;
  /** How well the member matches the query. */
  readonly score: number;
}

/** Characters of a text that decide the order. */
const comparedLength = 64;

const keys: Readonly<Record<MemberOrder["by"], (member: FoundMember) => string | number | undefined>> = {
  relevance: ({ score }) => score,
  name: ({ entry }) => entry.nameWords.join(" ").slice(0, comparedLength),
  handle: ({ entry }) => entry.handle?.slice(0, comparedLength),
  email: ({ entry }) => entry.email?.toLowerCase().slice(0, comparedLength),
  saml_idp: ({ entry }) => entry.samlIdentity?.issuer.slice(0, comparedLength),
  managed_by: ({ entry }) => Number(entry.isManagedByScim),
  role: ({ entry }) => entry.role,
  created_at: ({ entry }) => entry.createdAt,
};

interface Place {
  readonly key: string | number | null;
  readonly userId: string;
}

/**
 * Take a page of the members in order.
 *
 * @param page.after where the previous page ended; undefined for a cursor of another order
 * @returns undefined when `after` belongs to another order
 */
export function pageOf(
  members: readonly FoundMember[],
  order: MemberOrder,
  { after, size }: { after: DirectoryCursor | undefined; size: number },
): { entries: DirectoryEntry[]; next: DirectoryCursor | undefined } | undefined {
  const orderName = `${order.by} ${order.direction}`;
  if (after !== undefined && after.order !== orderName) return undefined;
  const sign = order.direction === "asc" ? 1 : -1;
  const compare = (one: Place, other: Place) =>
    compareKeys(one.key, other.key, sign) || compareTexts(one.userId, other.userId);
  const remaining = members
    .map((member) => ({
      entry: member.entry,
      userId: member.entry.userId,
      key: keys[order.by](member) ?? null,
    }))
    .filter((member) => after === undefined || compare(member, after) > 0)
    .sort(compare);
  const page = remaining.slice(0, size);
  const last = page.at(-1);
  const hasMore = remaining.length > size;
  return {
    entries: page.map(({ entry }) => entry),
    next: hasMore && last ? { order: orderName, key: last.key, userId: last.userId } : undefined,
  };
}

function compareKeys(one: Place["key"], other: Place["key"], sign: number): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return typeof one === "number" && typeof other === "number"
    ? sign * (one - other)
    : sign * compareTexts(String(one), String(other));
}

const compareTexts = (one: string, other: string) => Number(one > other) - Number(one < other);
