import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { sharedStack } from "./shared-stack.ts";
import type { Version, VersionGateway } from "./version-gateway.ts";
import type { VersionInvocation, VersionReport, VersionStart } from "./version-process.ts";

const running = new Set<Version>();

/** Stop the versions that a test file has left running. */
export const stopVersions = () => Promise.all([...running].map((version) => version.stop()));

/** Start a version behind a gateway, on the emulators of the shared stack. */
export async function forkVersion(
  { publicUrl, connectionsUrl }: Pick<VersionGateway, "publicUrl" | "connectionsUrl">,
  { name, root, prefix }: { name: string } & Pick<VersionStart, "root" | "prefix">,
): Promise<Version> {
  const { environment, folder } = sharedStack();
  const start: VersionStart = {
    root,
    prefix,
    environment,
    folder: mkdtempSync(join(folder, `${prefix}-`)),
    publicUrl,
    connectionsUrl,
  };
  const child = fork(new URL("version-process.ts", import.meta.url), {
    cwd: root,
    env: { ...process.env, VERSION: JSON.stringify(start) },
    execArgv: [],
  });
  const ended = once(child, "exit");
  const errors: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const started = Promise.withResolvers<Extract<VersionReport, { kind: "started" }>>();
  ended.then(([code, signal]) => started.reject(new Error(`${name} has ended with ${code ?? signal}`)));
  started.promise.catch(() => {});
  child.on("message", (message: VersionReport) => {
    if (message.kind === "started") started.resolve(message);
    else if (message.kind === "failed") errors.push(message.error);
    else if (message.error === undefined) waiting.get(message.id)?.resolve(message.result);
    else waiting.get(message.id)?.reject(new Error(message.error));
  });
  const { kind: _, ...addresses } = await started.promise;
  let invocations = 0;
  const version: Version = {
    name,
    ...addresses,
    errors,
    async invoke(functionName, event) {
      if (!child.connected) throw new Error(`${name} no longer runs`);
      const id = ++invocations;
      const result = Promise.withResolvers<unknown>();
      waiting.set(id, result);
      child.send({ id, functionName, event } satisfies VersionInvocation);
      return result.promise.finally(() => waiting.delete(id));
    },
    async stop() {
      running.delete(version);
      if (child.connected) child.disconnect();
      await ended;
    },
  };
  running.add(version);
  return version;
}
