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

test("a folder in use by a running process is refused with its process id", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "runner.pid"), String(process.ppid));
  expect(() => lockFolder(folder)).toThrow(`in use by process ${process.ppid}`);
});

test("the lock of a process that has ended is taken over", () => {
  const folder = newFolder();
  const { pid } = spawnSync("true");
  writeFileSync(join(folder, "runner.pid"), String(pid));
  const unlock = lockFolder(folder);
  unlock();
  lockFolder(folder)();
});

test("a folder that cannot be created is named in the error", () => {
  expect(() => lockFolder("/dev/null/x")).toThrow("Data folder /dev/null/x cannot be used: ");
});
