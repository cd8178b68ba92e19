import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { StackCommand, StackReport } from "./stack-process.ts";

/** A stack in its own process. */
export interface ForkedStack {
  ask(command: StackCommand): Promise<StackReport>;
  stop(): Promise<void>;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<unknown>;
}

/**
 * @param options.execArgv options of Node for its process
 * @param options.root checkout of the stack; this one by default
 */
export function forkStack({
  execArgv = process.execArgv,
  root = join(import.meta.dirname, ".."),
}: {
  execArgv?: string[];
  root?: string;
} = {}): ForkedStack {
  const child = fork(join(root, "bench/stack-process.ts"), {
    cwd: root,
    env: { ...process.env, LOG_LEVEL: "CRITICAL" },
    execArgv,
  });
  const ended = once(child, "exit");
  return {
    ended,
    async ask(command) {
      const answered = once(child, "message");
      child.send(command);
      const [report] = await Promise.race([answered, ended.then(() => [undefined])]);
      if (report === undefined) throw new Error("The process with the stack has ended");
      return report;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
