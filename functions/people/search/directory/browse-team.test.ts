import { describe, expect, it } from "vitest";
import { toWords } from "#shared/accounts/search/words.ts";
import { matchMember } from "./browse-team.ts";

const ada = {
  userId: "00000000-0000-4000-8000-000000000000",
  name: "Ada Lovelace",
  accentId: 0,
  handle: "ada.l",
  email: "Countess@example.com",
  emailUnvalidated: "new@example.com",
  isManagedByScim: false,
  createdAt: 0,
  nameWords: ["ada", "lovelace"],
};

describe("matching a member", () => {
  it.each([
    [["ada.l"], 4],
    [["countess@example.com"], 4],
    [["new@example.com"], 4],
    [["ada"], 3],
    [["lovelace"], 3],
    [["countess"], 2],
    [["ada."], 2],
    [["love"], 1],
    [["ada", "love"], 4],
    [[], 0],
  ])("gives %j a score of %i", (words, score) => {
    expect(matchMember(ada, words)).toBe(score);
  });

  it.each([[["example.com"]], [["ada", "bob"]], [["lovelaces"]]])("does not find %j", (words) => {
    expect(matchMember(ada, words)).toBeUndefined();
  });

  it.each([
    ["grace@b\u00fccher.example", 4],
    ["Grace@B\u00dcCHER.example", 4],
    ["grace@xn--bcher-kva.example", 4],
    ["grace@b\u00fcch", 2],
  ])("matches an internationalised address by %s", (query, score) => {
    expect(matchMember({ ...ada, email: "Grace@xn--bcher-kva.example" }, toWords(query))).toBe(score);
  });
});
