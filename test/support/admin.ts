import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";

const script = join(import.meta.dirname, "../../scripts/admin.ts");

export interface AdminOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Run `npm run admin` without a terminal. @param environment other variables than those of the tests */
export const runAdmin = (
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<AdminOutcome> =>
  new Promise((resolve) => {
    const env = { ...process.env, ...environment };
    const child = execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr: stderr.trim() }),
    );
    child.stdin?.end();
  });

/** Run it against an internal API. */
export const adminAt = (url: string, args: readonly string[]): Promise<AdminOutcome> =>
  runAdmin([...args, "--url", url]);

/** The command for an internal API: its outcome, or the result of one that must succeed. */
export const adminOf = ({ internalUrl }: { readonly internalUrl: string }) => ({
  admin: (...args: string[]) => adminAt(internalUrl, args),
  async resultOf(...args: string[]) {
    const { code, stdout, stderr } = await adminAt(internalUrl, [...args, "--json"]);
    expect({ code, stderr, args }).toEqual({ code: 0, stderr: expect.any(String), args });
    return JSON.parse(stdout);
  },
});
