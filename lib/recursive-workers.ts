import { workers } from "#functions/families.ts";
import type { Worker } from "#shared/platform/manifest.ts";
import type { QueueName } from "#shared/registry/queues.ts";

type Node = Pick<Worker, "name" | "trigger" | "sends">;

/** Names of the workers whose messages may lead back to their own queue, directly or through other workers. */
export function recursiveWorkers(manifests: readonly Node[]): ReadonlySet<string> {
  const receivers = new Map<QueueName, Node>(
    manifests.flatMap((one) => ("queue" in one.trigger ? [[one.trigger.queue, one] as const] : [])),
  );
  const next = ({ sends = [] }: Node): Node[] => sends.flatMap((queue) => receivers.get(queue) ?? []);

  function reaches(start: Node): boolean {
    const found = new Set(next(start));
    // Iterating a set also yields values that are added meanwhile.
    for (const node of found) for (const further of next(node)) found.add(further);
    return found.has(start);
  }
  return new Set([...receivers.values()].filter(reaches).map(({ name }) => name));
}

const recursive = recursiveWorkers(workers);

/** Whether Lambda may call a function again and again in one chain of messages ("Lambda recursive loop detection"). */
export const mayRecur = (name: string): boolean => recursive.has(name);
