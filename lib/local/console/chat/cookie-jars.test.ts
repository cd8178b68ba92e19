import { expect, test } from "vitest";
import { CookieJars } from "./cookie-jars.ts";

test("each pane gets its own cookies, for the paths below theirs", () => {
  const jars = new CookieJars();
  jars.store("left", ["zuid=a=1.b; Path=/access; HttpOnly; Secure"]);
  jars.store("right", ["zuid=2; Path=/access"]);
  expect(jars.headerFor("left", "/access")).toBe("zuid=a=1.b");
  expect(jars.headerFor("left", "/access/logout")).toBe("zuid=a=1.b");
  expect(jars.headerFor("right", "/access")).toBe("zuid=2");
  expect(jars.headerFor("right", "/accessible")).toBeUndefined();
  expect(jars.headerFor("other", "/access")).toBeUndefined();
});

test("a cookie is replaced, and removed when it is emptied", () => {
  const jars = new CookieJars();
  jars.store("left", ["zuid=1; Path=/access"]);
  jars.store("left", ["zuid=2; Path=/access"]);
  expect(jars.headerFor("left", "/access")).toBe("zuid=2");
  jars.store("left", ["zuid=; Path=/access; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]);
  expect(jars.headerFor("left", "/access")).toBeUndefined();
});

test("only the latest jars are kept", () => {
  const jars = new CookieJars(2);
  for (const pane of ["one", "two", "three"]) jars.store(pane, ["zuid=1"]);
  expect(["one", "two", "three"].map((pane) => jars.headerFor(pane, "/"))).toEqual([
    undefined,
    "zuid=1",
    "zuid=1",
  ]);
});
