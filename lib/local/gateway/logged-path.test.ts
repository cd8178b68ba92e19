import { expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { loggedPaths } from "./logged-path.ts";

const loggedPath = loggedPaths(families);

it.each([
  ["/push/tokens/some:token", "/push/tokens/{pid}"],
  ["/v8/push/tokens/with/slashes", "/v8/push/tokens/{pid}"],
  ["/v5/password-reset/address.secret", "/v5/password-reset/{key}"],
])("a path with a secret is logged without it: %s", (path, logged) => {
  expect(loggedPath(path)).toBe(logged);
});

it.each(["/push/tokens", "/v8/password-reset/complete", "/password-reset", "/self", "/unknown", ""])(
  "any other path is logged as it is: %j",
  (path) => {
    expect(loggedPath(path)).toBe(path);
  },
);
