import { describe, expect, it } from "vitest";
import { samlNames } from "../../../../../test/support/saml.ts";
import { checkNameId, emailOf } from "./name-id.ts";

const email = (text: string) => ({ text, format: samlNames.email });

describe("a name in the format of an email address", () => {
  it.each([
    ["ada@example.com", "ada@example.com"],
    ["r&d@mail.example.com", "r&d@mail.example.com"],
    ["ada_partner.example#EXT#@tenant.example", "ada_partner.example#EXT#@tenant.example"],
    [
      "ada@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
      "ada@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
    ],
    ["ada@intranet", undefined],
    ["\u00e4da@example.com", undefined],
    ['"ada lovelace"@example.com', undefined],
    ["ada@[192.0.2.1]", undefined],
  ])("names somebody, and gives an address that mail can be sent to: %s, %s", (text, address) => {
    expect(() => checkNameId(email(text))).not.toThrow();
    expect(emailOf(email(text))).toBe(address);
  });

  it.each(["ada", "noat.example", "@example.com", "ada@", "ada@exa mple.com", "ada\n@example.com"])(
    "is refused if it has not that form: %j",
    (text) => {
      expect(() => checkNameId(email(text))).toThrow("NameID");
    },
  );
});

it("a name has up to 1024 characters, even if some take two UTF-16 units", () => {
  expect(() => checkNameId({ text: "😀".repeat(1024) })).not.toThrow();
  expect(() => checkNameId({ text: "😀".repeat(1025) })).toThrow("NameID");
});

it("a name in another format gives no address", () => {
  expect(emailOf({ text: "ada@example.com", format: samlNames.unspecified })).toBeUndefined();
});
