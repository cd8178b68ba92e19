import { describe, expect, it } from "vitest";
import type { DirectoryEntry } from "#shared/accounts/search/directory-entry.ts";
import { type FoundMember, type MemberOrder, pageOf } from "./member-order.ts";
import { sortFields } from "./routes.ts";

const member = (digit: number, entry: Partial<DirectoryEntry>, score = 0): FoundMember => ({
  score,
  entry: {
    userId: `0000000${digit}-0000-4000-8000-000000000000`,
    name: "Ada",
    accentId: 0,
    isManagedByScim: false,
    createdAt: 0,
    nameWords: ["ada"],
    ...entry,
  },
});

const samlIdentity = { issuer: "https://idp.example.com", nameId: { text: "bob" } };
const members = [
  member(1, { nameWords: ["carl"], handle: "b", email: "A@example.com", role: "partner", createdAt: 2 }, 4),
  member(2, { nameWords: ["ada", "b"], email: "b@example.com", role: "admin", createdAt: 10 }, 7),
  member(3, { nameWords: ["ada"], handle: "a", role: "owner", createdAt: 10, isManagedByScim: true }, 4),
  member(4, { nameWords: ["bob"], handle: "c", email: "c@example.com", createdAt: 1, samlIdentity }, 5),
];

const digits = (entries: readonly DirectoryEntry[] = []) => entries.map(({ userId }) => Number(userId[7]));
const sorted = (by: MemberOrder["by"], direction: MemberOrder["direction"]) =>
  digits(pageOf(members, { by, direction }, { after: undefined, size: 10 })?.entries);

describe("the order of members", () => {
  it.each([
    ["relevance", "desc", [2, 4, 1, 3]],
    ["name", "asc", [3, 2, 4, 1]],
    ["name", "desc", [1, 4, 2, 3]],
    ["created_at", "asc", [4, 1, 2, 3]],
    ["created_at", "desc", [2, 3, 1, 4]],
    ["managed_by", "desc", [3, 1, 2, 4]],
  ] as const)("by %s %s is %j", (by, direction, expected) => {
    expect(sorted(by, direction)).toEqual(expected);
  });

  it.each([
    ["handle", "asc", [3, 1, 4, 2]],
    ["handle", "desc", [4, 1, 3, 2]],
    ["email", "asc", [1, 2, 4, 3]],
    ["email", "desc", [4, 2, 1, 3]],
    ["role", "asc", [2, 3, 1, 4]],
    ["role", "desc", [1, 3, 2, 4]],
    ["saml_idp", "desc", [4, 1, 2, 3]],
  ] as const)("by %s %s is %j, with members without the field last", (by, direction, expected) => {
    expect(sorted(by, direction)).toEqual(expected);
  });
});

describe("pages of members", () => {
  it.each(sortFields.flatMap((by) => (["asc", "desc"] as const).map((direction) => ({ by, direction }))))(
    "by $by $direction add up to the list",
    (order) => {
      const listed: number[] = [];
      let after: NonNullable<ReturnType<typeof pageOf>>["next"];
      do {
        const page = pageOf(members, order, { after, size: 1 });
        listed.push(...digits(page?.entries));
        after = page?.next;
      } while (after !== undefined);
      expect(listed).toEqual(sorted(order.by, order.direction));
    },
  );

  it("continue after a member who has left", () => {
    const order = { by: "name", direction: "asc" } as const;
    const first = pageOf(members, order, { after: undefined, size: 2 });
    const remaining = members.filter(({ entry }) => !first?.entries.includes(entry));
    expect(digits(pageOf(remaining, order, { after: first?.next, size: 5 })?.entries)).toEqual([4, 1]);
  });

  it("do not continue in another order", () => {
    const first = pageOf(members, { by: "name", direction: "asc" }, { after: undefined, size: 2 });
    expect(
      pageOf(members, { by: "name", direction: "desc" }, { after: first?.next, size: 2 }),
    ).toBeUndefined();
  });
});
