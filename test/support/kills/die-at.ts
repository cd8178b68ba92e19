// Imported into a process ahead of its own code: kills it at the call that DIE_AT describes, as if the machine had failed.
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { isOneOf } from "../calls.ts";
import type { Death, LaterCalls } from "./kills.ts";

const death = JSON.parse(process.env.DIE_AT ?? "{}") as Death;
const { isAfterwards, number = 1, stuck = [] } = death;
let count = 0;
const begun = new Set<LaterCalls>([death, ...stuck].filter(({ since }) => since === undefined));

interceptAwsCalls(async (call, send) => {
  if (stuck.some((one) => begun.has(one) && isOneOf(one, call))) await new Promise(() => {});
  const isOne = begun.has(death) && isOneOf(death, call);
  const isLast = isOne && ++count === number;
  if (isLast && !isAfterwards) process.kill(process.pid, "SIGKILL");
  const answer = await send();
  for (const one of [death, ...stuck]) if (one.since && isOneOf(one.since, call)) begun.add(one);
  const hasEffect = answer.response.statusCode < 300;
  if (isOne && !hasEffect) count--;
  if (isLast && hasEffect) process.kill(process.pid, "SIGKILL");
  return answer;
});
