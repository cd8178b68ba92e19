import { expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { isUsableHandle, parseHandle } from "./handle.ts";

const settings = parseSettings({ vendor: "acme", setReservedHandles: ["admin"] });

it.each(["ab", "a.b", "1_2-3", "-0", "..a", "a".repeat(256), "admins"])("accepts %s", (text) => {
  expect(isUsableHandle(text, settings)).toBe(true);
  expect(parseHandle(text, settings)).toEqual({ kind: "handle", value: text, key: text });
});

it.each([
  "",
  "a",
  "a".repeat(257),
  "Ab",
  "a b",
  "ab\n",
  "@ab",
  "äb",
  "..",
  "_-.",
  "-".repeat(256),
  "admin",
  "acme",
])("refuses %j", (text) => {
  expect(isUsableHandle(text, settings)).toBe(false);
  expect(() => parseHandle(text, settings)).toThrow(expect.objectContaining({ error: "invalid-handle" }));
});
