import { randomUUID } from "node:crypto";
import { domainToASCII } from "node:url";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { stackWith } from "../../support/stack-with.ts";
import {
  type Address,
  activate,
  logIn,
  newEmail,
  newPhone,
  newUser,
  register,
  somePassword,
} from "../../support/users.ts";

describe.concurrent("the allow-list", () => {
  it("refuses all other email domains on /activate/send and /register with 403 unauthorized", async () => {
    const apis = await stackWith({ setAllowlistEmailDomains: ["Example.com"] });
    const send = (email: string) => apis.publicApi("POST", "/activate/send", { json: { email } });

    for (const email of ["ada@example.org", "ada@sub.example.com", "ada@example.com@evil.org", "nobody"]) {
      expect(outcome(await send(email))).toBe("403 unauthorized");
      expect(outcome(await register({ email }, apis))).toBe("403 unauthorized");
    }
    expect(outcome(await send(newEmail().toUpperCase()))).toBe("200");
    expect(outcome(await register({ email: newEmail() }, apis))).toBe("201");
    expect(outcome(await register({ phone: newPhone() }, apis))).toBe("201");
    expect(outcome(await register({}, apis))).toBe("201");
  });

  it("refuses all other phone prefixes on /activate/send and /register with 403 unauthorized", async () => {
    const apis = await stackWith({ setAllowlistPhonePrefixes: ["+49", "+4315"] });
    const send = (phone: string) => apis.publicApi("POST", "/activate/send", { json: { phone } });

    for (const phone of ["+43161234567", "+1701234567", "0049170123456"]) {
      expect(outcome(await send(phone))).toBe("403 unauthorized");
      expect(outcome(await register({ phone }, apis))).toBe("403 unauthorized");
    }
    expect(outcome(await send("+43151234567"))).toBe("200");
    expect(outcome(await register({ phone: newPhone(), email: newEmail() }, apis))).toBe("201");
  });

  it("allows nothing when it is empty", async () => {
    const apis = await stackWith({ setAllowlistEmailDomains: [], setAllowlistPhonePrefixes: [] });
    for (const address of [{ email: newEmail() }, { phone: newPhone() }]) {
      expect(outcome(await register(address, apis))).toBe("403 unauthorized");
    }
  });
});

describe.concurrent("the block-list", () => {
  const blockList = (method: string, address: Address) =>
    internalApi(method, `/i/users/blacklist?${new URLSearchParams(address)}`);

  it("refuses all addresses at a listed domain, in any spelling, until it is removed", async () => {
    const domain = `sp\u00e4m-${randomUUID()}.example`;
    const listed = { email: `@${domain.toUpperCase()}` };
    const addresses = [`a@${domain}`, `b+c@${domainToASCII(domain)}`];
    expect(outcome(await blockList("GET", listed))).toBe("404 not-found");
    expect(outcome(await blockList("POST", listed))).toBe("200");
    for (const email of addresses) {
      expect(outcome(await blockList("GET", { email }))).toBe("200");
      expect(outcome(await api("POST", "/activate/send", { json: { email } }))).toBe("403 blacklisted-email");
      expect(outcome(await register({ email }))).toBe("403 blacklisted-email");
    }
    expect(outcome(await register({ email: `a@sub.${domainToASCII(domain)}` }))).toBe("201");

    expect(outcome(await blockList("DELETE", listed))).toBe("200");
    for (const email of addresses) expect(outcome(await register({ email }))).toBe("201");
    for (const email of ["@", "@nobody", "@a@b.example"])
      expect(outcome(await blockList("POST", { email }))).toBe("400 invalid-email");
  });

  it.each([
    ["email address", "blacklisted-email", () => ({ email: newEmail() })],
    ["phone number", "blacklisted-phone", () => ({ phone: newPhone() })],
  ])(
    "refuses a listed %s on /activate/send and /register with 403 %s until it is removed",
    async (_, label, newAddress) => {
      const address: Address = newAddress();
      expect(outcome(await blockList("GET", address))).toBe("404 not-found");
      expect(outcome(await blockList("POST", address))).toBe("200");
      expect(outcome(await blockList("GET", address))).toBe("200");

      expect(outcome(await api("POST", "/activate/send", { json: address }))).toBe(`403 ${label}`);
      expect(outcome(await register(address))).toBe(`403 ${label}`);

      expect(outcome(await blockList("DELETE", address))).toBe("200");
      expect(outcome(await blockList("DELETE", address))).toBe("200");
      expect(outcome(await blockList("GET", address))).toBe("404 not-found");
      expect(outcome(await register(address))).toBe("201");
    },
  );

  it("applies to every spelling of an address", async () => {
    const email = newEmail();
    await blockList("POST", { email: email.replace("@", "+a@") });
    for (const spelling of [email.toUpperCase(), email.replace("@", "+b@")]) {
      expect(outcome(await register({ email: spelling }))).toBe("403 blacklisted-email");
    }
  });

  it("does not lock out an active account", async () => {
    const user = await newUser();
    await blockList("POST", user);
    expect(outcome(await logIn(user))).toBe("200");
    expect(outcome(await register({ email: user.email }))).toBe("409 key-exists");
  });

  it("does not stop a pending activation", async () => {
    const email = newEmail();
    await register({ email, password: somePassword });
    await blockList("POST", { email });
    expect(outcome(await activate({ email }))).toBe("200");
  });

  it("requires exactly one well-formed email address or phone number", async () => {
    expect(outcome(await internalApi("GET", "/i/users/blacklist"))).toBe("400 bad-request");
    expect(outcome(await blockList("POST", { email: "nobody" }))).toBe("400 invalid-email");
    expect(outcome(await blockList("POST", { phone: "12" }))).toBe("400 invalid-phone");
  });
});
