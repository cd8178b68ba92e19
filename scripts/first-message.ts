// Starts Parley and exchanges a message with the program in docs/clients/typescript.md, to test both on this machine:
// npm run first-message
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const root = join(import.meta.dirname, "..");
const guide = join(root, "docs", "clients", "typescript.md");

/** The addresses that a stack prints when it runs. */
async function addressesOf(stack: ChildProcess): Promise<{ publicUrl: string; internalUrl: string }> {
  if (stack.stdout === null) throw new Error("The stack prints nothing");
  for await (const line of createInterface(stack.stdout)) {
    console.log(line);
    const [, publicUrl, internalUrl] = /public (\S+) {2}internal (\S+)/.exec(line) ?? [];
    if (publicUrl !== undefined && internalUrl !== undefined) return { publicUrl, internalUrl };
  }
  throw new Error("Parley did not start");
}

const folder = mkdtempSync(join(tmpdir(), "parley-first-message-"));
const stack = spawn(process.execPath, [join(root, "bin", "local.ts"), "--port", "0", "--memory"], {
  cwd: root,
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const { publicUrl, internalUrl } = await addressesOf(stack);
  // A pipe that nobody reads would stop the stack.
  stack.stdout.resume();
  // On Windows, git may write the guide with other line ends.
  const text = readFileSync(guide, "utf8").replaceAll("\r\n", "\n");
  const program = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join("\n");
  // The program imports it.
  cpSync(join(root, "examples", "session"), folder, { recursive: true });
  const file = join(folder, "quick-start.ts");
  writeFileSync(
    file,
    program.replaceAll("http://127.0.0.1:8080", publicUrl).replaceAll("http://127.0.0.1:8081", internalUrl),
  );
  const client = spawn(process.execPath, [file], { cwd: folder, stdio: "inherit", timeout: 120_000 });
  const [code] = await once(client, "exit");
  process.exitCode = code ?? 1;
} finally {
  stack.kill();
  if (stack.exitCode === null) await once(stack, "exit");
  rmSync(folder, { recursive: true, force: true });
}
