import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recordDataVersion } from "./data-version.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("a folder of this version or an earlier one is accepted at every start", () => {
  const folder = newFolder();
  recordDataVersion(folder);
  recordDataVersion(folder);
  // Empty if the first process was killed while it noted the version.
  for (const version of ["0\n", ""]) {
    writeFileSync(join(folder, "version"), version);
    recordDataVersion(folder);
  }
});

test.each(["2", "one"])("a folder of version '%s' is refused, and not changed", (version) => {
  const folder = newFolder();
  writeFileSync(join(folder, "version"), version);
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(() => recordDataVersion(folder)).toThrow(/written by a later version of Parley/);
  }
});
