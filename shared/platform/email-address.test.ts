import { describe, expect, it } from "vitest";
import { domainOfEmail, parseEmailAddress, toAsciiAddress, toUnicodeAddress } from "./email-address.ts";

describe("parseEmailAddress", () => {
  it.each([
    ["ada@example.com", "ada@example.com", "example.com"],
    ["Ada.Lovelace@Example.com", "Ada.Lovelace@Example.com", "example.com"],
    [" ada@example.com\r\n", "ada@example.com", "example.com"],
    ["r&d@mail.example.com", "r&d@mail.example.com", "mail.example.com"],
    ["o'neill+a=b@example.com", "o'neill+a=b@example.com", "example.com"],
    ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com", "example.com"],
    ["ada_partner.example#EXT#@tenant.example", "ada_partner.example#EXT#@tenant.example", "tenant.example"],
    ["-@example.com", "-@example.com", "example.com"],
    ["ada@example.xn--p1ai", "ada@example.xn--p1ai", "example.xn--p1ai"],
    [
      "ada@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
      "ada@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
      "xn--e1afmkfd.xn--p1ai",
    ],
    ["ada@B\u00dcCHER.example", "ada@B\u00dcCHER.example", "xn--bcher-kva.example"],
    ["ada@bu\u0308cher.example", "ada@b\u00fccher.example", "xn--bcher-kva.example"],
    ["ada@example\u3002com", "ada@example.com", "example.com"],
    ["ada@\u212aelvin.example", "ada@kelvin.example", "kelvin.example"],
    ["ada@1and1.example", "ada@1and1.example", "1and1.example"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`, "example.com"],
  ])("reads %j", (text, value, domain) => {
    expect(parseEmailAddress(text)).toMatchObject({ value, domain });
  });

  it("splits at the @", () => {
    expect(parseEmailAddress("Ada+news@Example.com")).toEqual({
      value: "Ada+news@Example.com",
      localPart: "Ada+news",
      domain: "example.com",
    });
  });

  it.each([
    "",
    "@",
    "noat.example",
    "ada",
    "ada@",
    "@example.com",
    "ada@example",
    "a b@example.com",
    "a@b@example.com",
    "ada@example..com",
    "ada@example.com.",
    ".ada@example.com",
    "ada.@example.com",
    "ada..lovelace@example.com",
    '"ada lovelace"@example.com',
    "ada(work)@example.com",
    "Ada <ada@example.com>",
    "ada@example.com,eve@example.com",
    "ada;eve@example.com",
    "ada@[192.0.2.1]",
    "ada@192.0.2.1",
    "ada@-example.com",
    "ada@example-.com",
    "ada@exam_ple.com",
    "ada@\nexample.com",
    "ada\r\nBcc: eve@example.com",
    "ada\u0000@example.com",
    "ada@example.com\u0000",
    "\u00e4da@example.com",
    "ada@\u2603.example",
    "ada@xn--n3h.example",
    "ada@xn--a.example",
    "ada@b%C3%BCcher.example",
    "ada@b\u00fccher.example/x",
    "ada@b\u00fccher.example#x",
    "ada@b\u00fccher.example:80",
    "ada@b\u00fccher",
    "ada@\uff11\uff12\uff17.0.0.1",
    `${"a".repeat(65)}@example.com`,
    `ada@${"a".repeat(64)}.example`,
    `ada@${"\u00fc".repeat(64)}.example`,
    `${"a".repeat(64)}@${"b.".repeat(92)}example`,
  ])("refuses %j", (text) => {
    expect(parseEmailAddress(text)).toBeUndefined();
  });
});

describe("domainOfEmail", () => {
  it.each([
    ["ada@Example.com", "example.com"],
    ["a b@b\u00fccher.example ", "xn--bcher-kva.example"],
    ["example.com", undefined],
    ["ada@example", undefined],
  ])("finds the domain of %j", (text, domain) => {
    expect(domainOfEmail(text)).toBe(domain);
  });
});

describe("toUnicodeAddress", () => {
  it.each([
    ["ada@xn--bcher-kva.example", "ada@b\u00fccher.example"],
    ["xn--a@Example.com", "xn--a@example.com"],
    ["ada@xn--a.example", "ada@xn--a.example"],
  ])("writes %s as %s", (value, text) => {
    expect(toUnicodeAddress(value)).toBe(text);
  });
});

describe("toAsciiAddress", () => {
  it.each([
    ["Ada@B\u00fccher.example", "Ada@xn--bcher-kva.example"],
    ["Ada@Example.com", "Ada@Example.com"],
    ["ada@\u2603.example", "ada@\u2603.example"],
    ["+491701234567", "+491701234567"],
  ])("writes %s as %s", (value, text) => {
    expect(toAsciiAddress(value)).toBe(text);
  });
});
