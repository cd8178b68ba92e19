import { expect, it } from "vitest";
import { readRequestPath } from "./request-path.ts";

// Captured from an HTTP API on AWS, payload format 2.0.
it.each([
  ["/capture/plain", "/capture/plain"],
  ["/capture/space%20value", "/capture/space value"],
  ["/capture/question%3Fvalue", "/capture/question"],
  ["/capture/percent%25done", undefined],
  ["/capture/hash%23value", "/capture/hash#value"],
  ["/capture/slash%2Fvalue", "/capture/slash/value"],
  ["/capture/unicode-%CE%BB-%E4%B8%96%E7%95%8C", "/capture/unicode-λ-世界"],
  ["/capture/literal%252Fvalue", "/capture/literal/value"],
  ["/capture/literal%253Fvalue", "/capture/literal?value"],
  ["/capture/literal%2525value", "/capture/literal%value"],
])("functions receive the path %s as %s", (sent, raw) => {
  expect(readRequestPath(sent)?.raw).toBe(raw);
});

it.each([
  ["/users/a%2Fb", "/users/a/b"],
  ["/users/a%252Fb", "/users/a%2Fb"],
  ["/users/a%3Fb/c", "/users/a"],
  ["/users/a+b", "/users/a+b"],
])("%s is routed as %s", (sent, routed) => {
  expect(readRequestPath(sent)?.routed).toBe(routed);
});

it.each(["/a%", "/a%2", "/a%zz", "/a%25", "/a%25zz"])("%s is refused", (sent) => {
  expect(readRequestPath(sent)).toBeUndefined();
});
