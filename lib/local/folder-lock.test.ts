import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockFolder } from "./folder-lock.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("a folder that a running process has is refused with its number", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "runner.pid"), String(process.ppid));
  expect(() => lockFolder(folder)).toThrow(`in use by process ${process.ppid}`);
});

test("the claim of a process that is gone is taken over", () => {
  const folder = newFolder();
  const { pid } = spawnSync("true");
  writeFileSync(join(folder, "runner.pid"), String(pid));
  const unlock = lockFolder(folder);
  unlock();
  lockFolder(folder)();
});

test("a folder that cannot be made is named", () => {
  expect(() => lockFolder("/dev/null/x")).toThrow("Data folder /dev/null/x cannot be used: ");
});
