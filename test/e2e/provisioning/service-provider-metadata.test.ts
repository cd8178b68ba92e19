import { randomUUID } from "node:crypto";
import { DOMParser } from "@xmldom/xmldom";
import { ServiceProvider } from "samlify";
import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";

const names = { md: "urn:oasis:names:tc:SAML:2.0:metadata" };
const days = 24 * 60 * 60_000;

/** Parses a document, failing on any complaint of the parser. */
function parse(xml: string): Element {
  const fail = (complaint: string) => {
    throw new Error(complaint);
  };
  const parser = new DOMParser({ errorHandler: { warning: fail, error: fail, fatalError: fail } });
  return parser.parseFromString(xml, "application/xml").documentElement;
}

const elements = (root: Element, name: string) => [
  ...Array.from(root.getElementsByTagNameNS(names.md, name)),
];

describe("the metadata of the service", () => {
  it("has one entity for all identity providers of version 1", async () => {
    const { status, body, headers } = await api("GET", "/sso/metadata");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/xml");
    expect(parse(body).getAttribute("entityID")).toBe(`${sharedStack().publicUrl}/sso/finalize-login`);
  });

  it("has an entity for each team in version 2, whether the team exists or not", async () => {
    const team = randomUUID();
    const { body } = await api("GET", `/sso/metadata/${team}`);
    const address = `${sharedStack().publicUrl}/sso/finalize-login/${team}`;
    const root = parse(body);
    expect(root.getAttribute("entityID")).toBe(address);
    expect(elements(root, "OrganizationURL")[0]?.textContent).toBe(address);
    const [consumer] = elements(root, "AssertionConsumerService");
    expect(consumer?.getAttribute("Location")).toBe(address);
    expect(consumer?.getAttribute("Binding")).toBe("urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST");
    expect(consumer?.getAttribute("index")).toBe("0");
    expect(consumer?.getAttribute("isDefault")).toBe("true");
  });

  it("asks for signed assertions, and is valid for a year from each request", async () => {
    const [first, second] = await Promise.all(["", ""].map(() => api("GET", "/sso/metadata")));
    const [descriptor] = elements(parse(first?.body), "SPSSODescriptor");
    expect(descriptor?.getAttribute("WantAssertionsSigned")).toBe("true");
    expect(descriptor?.getAttribute("AuthnRequestsSigned")).toBe("false");
    expect(descriptor?.getAttribute("cacheDuration")).toBe("PT2592000S");
    const validFor = Date.parse(descriptor?.getAttribute("validUntil") ?? "") - Date.now();
    expect(validFor).toBeGreaterThan(364 * days);
    expect(validFor).toBeLessThanOrEqual(365 * days);
    const [other] = elements(parse(second?.body), "SPSSODescriptor");
    expect(other?.getAttribute("ID")).toMatch(/^_[\da-f-]{36}$/);
    expect(other?.getAttribute("ID")).not.toBe(descriptor?.getAttribute("ID"));
  });

  it("is understood by a library for identity providers", async () => {
    const { body } = await api("GET", "/sso/metadata");
    const { entityMeta } = ServiceProvider({ metadata: body });
    const address = `${sharedStack().publicUrl}/sso/finalize-login`;
    expect(entityMeta.getEntityID()).toBe(address);
    expect(entityMeta.getAssertionConsumerService("post")).toBe(address);
    expect(entityMeta.isWantAssertionsSigned()).toBe(true);
    expect(entityMeta.isAuthnRequestSigned()).toBe(false);
    expect(entityMeta.getNameIDFormat()).toEqual([
      "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
      "urn:oasis:names:tc:SAML:2.0:nameid-format:entity",
    ]);
  });

  it("is not cached, and does not exist for a malformed team id", async () => {
    const { headers } = await api("GET", "/sso/metadata");
    expect(headers.get("cache-control")).toBe("no-cache, no-store");
    expect(headers.get("pragma")).toBe("no-cache");
    expect(await api("GET", "/sso/metadata/engines")).toHaveProperty("status", 400);
  });
});

describe("with service providers by host, the metadata", () => {
  let stack: Promise<OwnStack> | undefined;
  const contacts = [
    {
      type: "support",
      company: "Engines & Sons <limited>",
      givenName: "Ada",
      surname: "King",
      email: "support@example.com",
      phone: "+44 20 7946 0000",
    },
    { type: "billing" },
  ] as const;
  const get = async (host: string, path = "/sso/metadata") => {
    stack ??= stackWith({
      productName: "Chat & Co",
      saml: {
        serviceProvidersByHost: {
          "one.example.com": { spSsoUri: "https://one.example.com/sso/", contacts: [...contacts] },
          "two.example.com": { spSsoUri: "https://login.two.example.com/sso" },
        },
      },
    });
    return (await stack).publicApi("GET", path, { headers: { host } });
  };

  it("is that of the requested host", async () => {
    const [one, two] = await Promise.all([get("one.example.com"), get("TWO.example.com:8443")]);
    expect(parse(one.body).getAttribute("entityID")).toBe("https://one.example.com/sso/finalize-login");
    expect(parse(two.body).getAttribute("entityID")).toContain("https://login.two.example.com/sso");
  });

  it("names the contacts", async () => {
    const root = parse((await get("one.example.com")).body);
    const people = elements(root, "ContactPerson").map((person) => [
      person.getAttribute("contactType"),
      ...Array.from(person.getElementsByTagNameNS(names.md, "*")).map(
        ({ localName, textContent }) => `${localName}: ${textContent}`,
      ),
    ]);
    expect(people).toEqual([
      [
        "support",
        "Company: Engines & Sons <limited>",
        "GivenName: Ada",
        "SurName: King",
        "EmailAddress: mailto:support@example.com",
        "TelephoneNumber: +44 20 7946 0000",
      ],
      ["billing"],
    ]);
    expect(elements(root, "OrganizationName")[0]?.textContent).toBe("Chat & Co");
  });

  it.for(["three.example.com", "127.0.0.1"])("does not exist on another host: %s", async (host) => {
    expect(await get(host)).toMatchObject({ status: 404, body: { label: "not-found" } });
    expect(await get(host, `/sso/metadata/${randomUUID()}`)).toHaveProperty("status", 404);
  });
});
