import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { runAdmin as run } from "../../scripts/admin/run-admin.ts";

const script = join(import.meta.dirname, "../../scripts/admin.ts");

export interface AdminOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Do what `npm run admin` does without a terminal, but in this process: starting one for each command takes a second. */
export async function runAdmin(args: readonly string[]): Promise<AdminOutcome> {
  const printed: string[] = [];
  const noted: string[] = [];
  const code = await run(args, {
    print: (text) => printed.push(text),
    note: (text) => noted.push(text),
    ask: undefined,
  });
  return { code, stdout: printed.map((text) => `${text}\n`).join(""), stderr: noted.join("\n") };
}

/** Run the command itself, without a terminal. */
export const spawnAdmin = (args: readonly string[]): Promise<AdminOutcome> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [script, ...args], (error, stdout, stderr) =>
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
