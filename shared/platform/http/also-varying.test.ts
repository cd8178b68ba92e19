import { expect, it } from "vitest";
import { alsoVarying } from "./also-varying.ts";

it.each([
  ["", "origin"],
  ["accept-language", "accept-language, origin"],
  ["Accept-Encoding, Origin", "Accept-Encoding, Origin"],
  ["*", "*"],
])("an answer that varies with %j and with the origin has the Vary %j", (vary, expected) => {
  expect(alsoVarying(vary, "origin")).toBe(expected);
});
