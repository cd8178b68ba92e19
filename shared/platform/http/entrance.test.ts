import { describe, expect, it } from "vitest";
import { entranceHeaders, readArrival } from "./entrance.ts";
import type { HttpEvent } from "./request.ts";

const secret = "secret of the entrance";
const sourceIp = "203.0.113.1";
const host = "api.parley.example";

const requestOf = (rawPath: string, headers: Record<string, string> = {}, isInternal = false) =>
  ({
    rawPath,
    headers,
    requestContext: { domainName: host, http: { sourceIp }, ...(isInternal && { authorizer: { iam: {} } }) },
  }) as unknown as HttpEvent;

const entered = (headers: Record<string, string> = {}) => ({ [entranceHeaders.secret]: secret, ...headers });
const forbidden = expect.objectContaining({ error: "forbidden" });

describe("a request through the entrance", () => {
  it("has the path as sent, the address of the client, and the requested host", () => {
    const event = requestOf(
      "/properties/a_2Fb",
      entered({
        [entranceHeaders.path]: "/properties/a%2Fb",
        [entranceHeaders.viewer]: "2001:db8::1",
        [entranceHeaders.host]: "Chat.Parley.Example:8443",
      }),
    );
    expect(readArrival(event, secret)).toEqual({
      path: "/properties/a%2Fb",
      sourceIp: "2001:db8::1",
      host: "chat.parley.example",
    });
  });

  it.each([
    ["/v8/se%6Cf", "/v8/self"],
    ["/%76%38/%73elf%2d%5F%7e%30%5A", "/v8/self-_~0Z"],
    ["/properties/a%2Fb%3f%25%41", "/properties/a%2Fb%3f%25A"],
    ["/properties/%C3%A4%zz%2", "/properties/%C3%A4%zz%2"],
    ["/properties/%2E%2E/%40%5B%60%7B%7F", "/properties/%2E%2E/%40%5B%60%7B%7F"],
  ])("has the path %s as %s, because needless encoding makes no difference", (sent, path) => {
    const event = requestOf("/", entered({ [entranceHeaders.path]: sent }));
    expect(readArrival(event, secret).path).toBe(path);
  });

  it("has the path from API Gateway when nothing in it was encoded", () => {
    expect(readArrival(requestOf("/self", entered()), secret)).toEqual({ path: "/self", sourceIp, host });
  });
});

describe("a public request that bypasses the entrance", () => {
  it.each([undefined, "", "guess", `${secret}.`, secret.slice(1)])(
    "is refused with the secret %j",
    (guess) => {
      const headers: Record<string, string> = guess === undefined ? {} : { [entranceHeaders.secret]: guess };
      expect(() => readArrival(requestOf("/self", headers), secret)).toThrow(forbidden);
    },
  );
});

describe("a request without an entrance", () => {
  const forged = {
    [entranceHeaders.path]: "/i/users",
    [entranceHeaders.viewer]: "192.0.2.1",
    [entranceHeaders.host]: "sso.forged.example",
    "z-host": "sso.forged.example",
  };

  it("cannot choose its path, address and host", () => {
    expect(readArrival(requestOf("/self", forged), undefined)).toEqual({ path: "/self", sourceIp, host });
  });

  it("cannot choose them on the internal API, even with the secret", () => {
    const { "z-host": _, ...fromOutside } = forged;
    const event = requestOf("/i/status", entered(fromOutside), true);
    expect(readArrival(event, secret)).toEqual({ path: "/i/status", sourceIp, host });
  });

  it("has the host that an internal caller names", () => {
    const event = requestOf("/identity-providers", { "z-host": "sso.parley.example" }, true);
    expect(readArrival(event, undefined)).toHaveProperty("host", "sso.parley.example");
  });

  it("has its decoded path encoded again", () => {
    const { path } = readArrival(requestOf("/properties/a/b %?ä\ud800"), undefined);
    expect(path).toBe("/properties/a/b%20%25%3F%C3%A4%EF%BF%BD");
  });
});
