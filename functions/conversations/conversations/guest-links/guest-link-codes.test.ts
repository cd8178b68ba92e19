import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { GuestLinkCodes } from "./guest-link-codes.ts";

const codes = new GuestLinkCodes({ secrets: { text: async () => "key" } });
const newLink = () => ({ conversationId: randomUUID(), linkId: randomUUID(), expiresAt: 0 });

it("derives the same code for a link each time, and a different one for each link and secret", async () => {
  const link = newLink();
  const code = await codes.derive(link);
  expect(code).toMatch(/^[\w-]{20}$/);
  expect(await codes.derive(link)).toBe(code);
  expect(await codes.derive({ ...link, linkId: randomUUID() })).not.toBe(code);
  expect(await new GuestLinkCodes({ secrets: { text: async () => "other" } }).derive(link)).not.toBe(code);
});

it("matches the code of a link, and nothing for a link that does not exist", async () => {
  const link = newLink();
  const code = await codes.derive(link);
  expect(await codes.matches(code, link)).toBe(true);
  expect(await codes.matches(code, newLink())).toBe(false);
  expect(await codes.matches(`${code}A`, link)).toBe(false);
  expect(await codes.matches("", link)).toBe(false);
  expect(await codes.matches(await codes.derive({ conversationId: "", linkId: "" }), undefined)).toBe(false);
});
