import { describe, expect, it } from "vitest";
import { parseDomain } from "./domain-name.ts";

describe("parseDomain", () => {
  it.each([
    ["example.com", "example.com"],
    ["Mail.EXAMPLE.com", "mail.example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["例え。テスト", "xn--r8jz45g.xn--zckzah"],
    ["a-1.example.xn--p1ai", "a-1.example.xn--p1ai"],
    ["r3---sn-x.example.com", "r3---sn-x.example.com"],
    [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
    ["пример.рф", "xn--e1afmkfd.xn--p1ai"],
    ["XN--Bcher-KVA.example", "xn--bcher-kva.example"],
    ["bu\u0308cher.example", "xn--bcher-kva.example"],
    ["fa\u00df.example", "xn--fa-hia.example"],
    ["\uff41\uff42.example", "ab.example"],
    ["paral\u00b7lel.example", "xn--parallel-koa.example"],
    ["\u30a2\u30fb\u30a4.example", "xn--ccke4x.example"],
    ["\u05e7\u05d5\u05f4\u05d7.example", "xn--9dbe0cxc.example"],
    ["\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.example", "xn--mgba3gch31f060k.example"],
  ])("reads %s", (text, domain) => {
    expect(parseDomain(text)).toBe(domain);
  });

  it.each([
    "",
    "example",
    "example.com.",
    ".example.com",
    "a..example.com",
    "-a.example.com",
    "a-.example.com",
    "a_b.example.com",
    "a b.example.com",
    "ada@example.com",
    "127.0.0.1",
    "example.com:80",
    "example.com/x",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(126)}com`,
    "a\u0000.example.com",
    "\u2603.example",
    "xn--n3h.example",
    "xn--a.example",
    "xn--b\u00fccher.example",
    "\u00e4-.example",
    "-\u00e4.example",
    "\u00e4b--c.example",
    "a\u00b7b.example",
    "a\u30fbb.example",
    "a\u200cb.example",
    "b\u00ad\u00fccher.example",
    "\u0639\u0631\u0628\u064a\u0640.example",
    "\u0627\u0660\u06f0.example",
    "b%C3%BCcher.example",
    "\u0661\u0662\u0667.0.0.1",
  ])("refuses %j", (text) => {
    expect(parseDomain(text)).toBeUndefined();
  });
});
