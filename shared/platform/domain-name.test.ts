import { describe, expect, it } from "vitest";
import { parseDomain } from "./domain-name.ts";

describe("parseDomain", () => {
  it.each([
    ["example.com", "example.com"],
    ["Mail.EXAMPLE.com", "mail.example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["例え。テスト", "xn--r8jz45g.xn--zckzah"],
    ["a-1.example.xn--p1ai", "a-1.example.xn--p1ai"],
    [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
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
  ])("refuses %j", (text) => {
    expect(parseDomain(text)).toBeUndefined();
  });
});
