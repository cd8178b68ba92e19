import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The release from which this version takes over data and unfinished work, and to which it can be rolled back. */
export const previousRelease = "5f394dea4a5343bd4a64acb7e807c0004e3b07f2";

/** The files of another version of the project. */
export interface Checkout {
  readonly root: string;
  remove(): void;
}

const ownRoot = join(import.meta.dirname, "../..");
const archiveBytes = 512 * 2 ** 20;

/** Whether the local history has a commit: a shallow clone or a plain copy of the files may lack it. */
export const hasCommit = (commit: string): boolean =>
  git("cat-file", "-e", `${commit}^{commit}`).status === 0;

/**
 * Unpack a commit into a temporary folder, with the dependencies of this checkout.
 * @throws Error when the local history lacks it
 */
export function checkOut(commit: string): Checkout {
  const root = mkdtempSync(join(tmpdir(), "parley-version-"));
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    const { stdout: input, status: archived } = git("archive", commit);
    const { status } = spawnSync("tar", ["-x", "-C", root], { input, stdio: ["pipe", "ignore", "inherit"] });
    if (archived !== 0 || status !== 0) throw new Error(`The commit ${commit} cannot be unpacked with tar`);
    symlinkSync(join(ownRoot, "node_modules"), join(root, "node_modules"));
    return { root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

const git = (...parameters: string[]) =>
  spawnSync("git", parameters, { cwd: ownRoot, maxBuffer: archiveBytes });
