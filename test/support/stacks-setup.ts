import { fork } from "node:child_process";
import { once } from "node:events";
import type { TestProject } from "vitest/node";
import { listen } from "#lib/local/gateway/http-server.ts";
import type { SharedStack } from "./shared-stack.ts";

declare module "vitest" {
  interface ProvidedContext {
    stacksUrl: string;
  }
}

/** Gives each worker that requests a stack its own, in a separate process. */
export default async function setup(project: TestProject) {
  const stacks = new Map<string, ReturnType<typeof forkStack>>();
  const server = await listen(async ({ url: worker = "" }, response) => {
    const stack = stacks.get(worker) ?? forkStack(project.config.env);
    stacks.set(worker, stack);
    response.end(JSON.stringify(await stack.started));
  });
  project.provide("stacksUrl", server.url);
  return async () => {
    await Promise.all([server.stop(), ...[...stacks.values()].map((stack) => stack.stop())]);
  };
}

function forkStack(environment: Partial<NodeJS.ProcessEnv>) {
  // Node may deadlock with this compiler at exit, but without it a stack takes an eighth longer.
  const execArgv = [...process.execArgv, "--maglev"];
  const child = fork(new URL("stack-process.ts", import.meta.url), {
    execArgv,
    env: { ...process.env, ...environment },
  });
  const ended = once(child, "exit");
  const failed = ended.then((status) => Promise.reject(new Error(`The stack has ended with ${status}`)));
  const started = Promise.race([once(child, "message"), failed]).then(([stack]) => stack as SharedStack);
  failed.catch(() => {});
  return {
    started,
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
