import { expect, it } from "vitest";
import { runAdmin } from "./run-admin.ts";

it("prints notes without characters that a terminal might obey", async () => {
  const notes: string[] = [];
  const terminal = { print: () => undefined, note: (text: string) => notes.push(text), ask: undefined };
  expect(await runAdmin(["user", "\u001b[2J\u009b2J\u202Etxt"], terminal)).toBe(1);
  expect(notes).toEqual([
    expect.stringMatching(/^There is no command user \u{FFFD}\[2J\u{FFFD}2J\u{FFFD}txt: /u),
  ]);
});
