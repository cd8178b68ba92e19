import { fork } from "node:child_process";
import { once } from "node:events";
import type { StackCommand, StackReport } from "./stack-process.ts";

/** A stack in a process of its own. */
export interface ForkedStack {
  ask(command: StackCommand): Promise<StackReport>;
  stop(): Promise<void>;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<unknown>;
}

/** @param options.execArgv options of Node for its process */
export function forkStack({ execArgv = process.execArgv }: { execArgv?: string[] } = {}): ForkedStack {
  const child = fork(new URL("stack-process.ts", import.meta.url), {
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
