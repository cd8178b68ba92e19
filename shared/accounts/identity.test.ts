import { describe, expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { emailIdentity, phoneIdentity, storedEmailIdentity } from "./identity.ts";

const settings = parseSettings({ setTrustedSuffixDomains: ["trusted.example"] });

describe("an email address", () => {
  it.each([
    ["Ada@Example.com", "Ada@Example.com", "ada@example.com"],
    [" ada@example.com ", "ada@example.com", "ada@example.com"],
    ["ada+news@example.com", "ada+news@example.com", "ada@example.com"],
    ["ada+news@trusted.example", "ada+news@trusted.example", "ada+news@trusted.example"],
    ["ada@b\u00fccher.example", "ada@b\u00fccher.example", "ada@xn--bcher-kva.example"],
    ["R&D@mail.example.com", "R&D@mail.example.com", "r&d@mail.example.com"],
    ["ada@B\u00dcCHER.example", "ada@B\u00dcCHER.example", "ada@xn--bcher-kva.example"],
  ])("%j is kept as %s and found by %s", (text, value, key) => {
    expect(emailIdentity(text, settings)).toEqual({ kind: "email", value, key });
  });

  it.each(["noat.example", "ada@example"])("is refused when it is malformed: %j", (text) => {
    expect(() => emailIdentity(text, settings)).toThrow(expect.objectContaining({ error: "invalid-email" }));
  });
});

describe("a stored address", () => {
  it("has the same key as one in a request", () => {
    for (const text of ["Ada+news@Example.com", "ada+news@Trusted.example", "ada@b\u00fccher.example"]) {
      const sent = emailIdentity(text, settings);
      expect(storedEmailIdentity(sent.value, settings)).toEqual(sent);
    }
  });

  it("is read even if a request could no longer contain it", () => {
    const value = `${"A".repeat(70)}@example-.com`;
    expect(storedEmailIdentity(value, settings)).toEqual({ kind: "email", value, key: value.toLowerCase() });
  });
});

describe("a phone number", () => {
  it("is stored without the white space around it", () => {
    expect(phoneIdentity(" +4917012345678 ")).toMatchObject({ value: "+4917012345678" });
  });

  it.each(["123", "017012345678", "+1234567", "+1234567890123456", "+49 170 1234567", "+491701234x67"])(
    "is refused when it is malformed: %j",
    (text) => {
      expect(() => phoneIdentity(text)).toThrow(expect.objectContaining({ error: "invalid-phone" }));
    },
  );
});
