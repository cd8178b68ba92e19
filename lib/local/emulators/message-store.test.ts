import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MessageStore, type SentMessage } from "./message-store.ts";

const sms = (text: string) => ({ kind: "sms" as const, to: "+49301", from: "", text, headers: {} });

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "messages.jsonl");
}

test("messages are listed newest first and passed to subscribers", () => {
  const store = new MessageStore();
  const received: (SentMessage | undefined)[] = [];
  const unsubscribe = store.subscribe((message) => received.push(message));
  const [first, second] = [store.add(sms("1")), store.add(sms("2"))];
  expect(store.list()).toEqual([second, first]);
  expect(store.get(first.id)).toEqual(first);
  store.clear();
  unsubscribe();
  store.add(sms("3"));
  expect(received).toEqual([first, second, undefined]);
});

test("a line torn by a killed process loses only that message", () => {
  const file = newFile();
  new MessageStore(file).add(sms("whole"));
  appendFileSync(file, '{"id":"torn","te');
  new MessageStore(file).add(sms("next"));
  expect(new MessageStore(file).list().map(({ text }) => text)).toEqual(["next", "whole"]);
});

test("cleared messages do not come back", () => {
  const file = newFile();
  const store = new MessageStore(file);
  store.add(sms("1"));
  store.clear();
  expect(new MessageStore(file).list()).toEqual([]);
});
