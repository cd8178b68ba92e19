import { expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { checkRedirects, errorLocation, successLocation } from "./redirects.ts";

const outcomeOf = (success: string, vendor = "svc") => {
  try {
    return checkRedirects({ success, error: `${vendor}://bad` }, parseSettings({ vendor }))?.success;
  } catch (error) {
    return Object(error).error;
  }
};

it.each([
  ["svc", "svc://ok", "svc://ok"],
  ["svc", "SVC-desktop://ok", "svc-desktop://ok"],
  ["svc", "sv://ok", "invalid-schema"],
  ["vendorword", "vend-dev://ok", "vend-dev://ok"],
  ["javelin", "javascript:alert(1)", "invalid-schema"],
  ["https", "https://attacker.example", "invalid-schema"],
  ["data", "data:text/html,a", "invalid-schema"],
  ["svc", "svc://ok\r\nSet-Cookie: a=b", "bad-request"],
  ["svc", "//attacker.example", "bad-request"],
])("with the vendor word %s, %j leads to %s", (vendor, url, expected) => {
  expect(outcomeOf(url, vendor)).toBe(expected);
});

it("fills in placeholders only once, not in inserted values", () => {
  const redirects = { success: "svc://ok?c=$cookie&u=%24userid&x=$other", error: "svc://bad" };
  const location = successLocation(redirects, { setCookie: "zuid=$userid; a", userId: "1" });
  expect(location).toBe("svc://ok?c=zuid%3D%24userid%3B%20a&u=1&x=$other");
});

it("refuses an address that filling in makes malformed", () => {
  const redirects = { success: "svc://a:$userid/", error: "svc://a:$label/" };
  expect(() => successLocation(redirects, { setCookie: "", userId: "x" })).toThrow(
    expect.objectContaining({ error: "bad-success-redirect" }),
  );
  expect(() => errorLocation(redirects, "forbidden")).toThrow(
    expect.objectContaining({ error: "bad-failure-redirect" }),
  );
});
