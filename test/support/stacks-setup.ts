import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder for files of the run. */
    folder: string;
  }
}

/** Gives the stacks of all workers a folder, which is removed at the end of the run. */
export default function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), "parley-tests-"));
  project.provide("folder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
