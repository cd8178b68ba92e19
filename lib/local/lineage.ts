import { mayRecur } from "../recursive-workers.ts";
import { interceptAwsCalls } from "./aws-calls.ts";
import { runningFunction } from "./running-function.ts";

/** Passes of one chain of messages through a function, after which Lambda refuses the next. */
const mostPasses = 16;

/** Lambda's name for the error. */
class RecursiveInvocationException extends Error {
  override readonly name = "RecursiveInvocationException";
}

/** How often the chain of an event has passed through each function. */
type Lineage = ReadonlyMap<string, number>;

interface Traced {
  readonly attributes?: { readonly AWSTraceHeader?: string };
}

/**
 * The header for messages that are sent while an event is handled. In it, Lambda counts how often a chain of messages
 * has passed through a function. For a batch, the longest chain counts.
 *
 * @throws RecursiveInvocationException as Lambda does, so that the messages end up in the dead-letter queue
 */
export function continueLineage(functionName: string, event: unknown): string {
  const { Records = [] } = Object(event) as { Records?: readonly Traced[] };
  const lineage = new Map<string, number>();
  for (const { attributes } of Records)
    for (const [name, passes] of readLineage(attributes?.AWSTraceHeader))
      lineage.set(name, Math.max(passes, lineage.get(name) ?? 0));
  const passes = lineage.get(functionName) ?? 0;
  if (passes >= mostPasses && !mayRecur(functionName))
    throw new RecursiveInvocationException(
      `${functionName} was called ${passes} times in one chain of messages, and its manifest does not say that it sends to itself`,
    );
  lineage.set(functionName, passes + 1);
  return `Lineage=${[...lineage].map(([name, count]) => `${name}:${count}`).join("|")}`;
}

/** How often a chain has passed through a function, by the header of its messages. */
export const passesOf = (functionName: string, header?: string): number =>
  readLineage(header).get(functionName) ?? 0;

function readLineage(header = ""): Lineage {
  const [, text = ""] = /(?:^|;)Lineage=([^;]*)/.exec(header) ?? [];
  return new Map(
    text
      .split("|")
      .filter(Boolean)
      .map((part): [string, number] => {
        const [name = "", passes] = part.split(":");
        return [name, Number(passes)];
      }),
  );
}

let isCarried = false;

/**
 * Let messages that functions of this thread send carry the lineage of their event. On Lambda, the SDK does this from
 * variables of the process, which all functions here share.
 */
export function carryLineage(): void {
  if (isCarried) return;
  isCarried = true;
  interceptAwsCalls(({ service, action, headers }, send) => {
    const { traceHeader } = runningFunction.getStore() ?? {};
    if (traceHeader !== undefined && service === "sqs" && action.startsWith("SendMessage"))
      headers["x-amzn-trace-id"] = traceHeader;
    return send();
  });
}
