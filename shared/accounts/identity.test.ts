import { describe, expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { emailIdentity, phoneIdentity } from "./identity.ts";

const settings = parseSettings({ setTrustedSuffixDomains: ["trusted.example"] });

describe("an email address", () => {
  it.each([
    ["Ada@Example.com", "Ada@Example.com", "ada@example.com"],
    [" ada@example.com ", "ada@example.com", "ada@example.com"],
    ["ada+news@example.com", "ada+news@example.com", "ada@example.com"],
    ["ada+news@trusted.example", "ada+news@trusted.example", "ada+news@trusted.example"],
    ["ada@b\u00fccher.example", "ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"],
    ["ada@B\u00dcCHER.example", "ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"],
  ])("%j is kept as %s and found by %s", (text, value, key) => {
    expect(emailIdentity(text, settings)).toEqual({ kind: "email", value, key });
  });

  it.each([
    "plain",
    "a@",
    "@example.com",
    "a b@example.com",
    "a@b@example.com",
    "a@example..com",
    "a@\nexample.com",
    "ada@b%C3%BCcher.example",
    "ada@b\u00fc%63her.example",
    "ada@b\u00fccher.example/x",
    "ada@b\u00fccher.example#x",
    "ada@b\u00fccher.example:80",
    "ada@b\u00fc cher.example",
    "ada@\u2603.example",
    "ada@b\u00fccher",
    "ada@.b\u00fccher.example",
    "ada@b\u00fccher..example",
    `ada@${"\u00fc".repeat(64)}.example`,
    `ada@${"u".repeat(64)}.example`,
    "\u00e4d\u00e4@b\u00fccher.example",
    "ada@\uff11\uff12\uff17.0.0.1",
  ])("is refused when it is malformed: %j", (text) => {
    expect(() => emailIdentity(text, settings)).toThrow(expect.objectContaining({ error: "invalid-email" }));
  });
});

describe("a phone number", () => {
  it("is kept without the white space around it", () => {
    expect(phoneIdentity(" +4917012345678 ")).toMatchObject({ value: "+4917012345678" });
  });

  it.each(["123", "017012345678", "+1234567", "+1234567890123456", "+49 170 1234567", "+491701234x67"])(
    "is refused when it is malformed: %j",
    (text) => {
      expect(() => phoneIdentity(text)).toThrow(expect.objectContaining({ error: "invalid-phone" }));
    },
  );
});
