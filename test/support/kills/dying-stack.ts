// Runs a stack until it dies. Forked by `dyingStack`, which tells it of what stack it is, and where it dies, once that is known.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { startStack } from "#lib/local/stack.ts";
import { waitPatiently } from "../patient-calls.ts";
import { skipSignatures } from "../unsigned-calls.ts";
import type { StackPlan } from "./kills.ts";

/** How often what has been compiled is kept for the next process: nothing can be kept when a process is killed. */
const keepMilliseconds = 1000;

flushCompileCache();
const [{ environment, folder, prefix, settings, death }] = (await once(process, "message")) as [StackPlan];
Object.assign(process.env, environment, { DIE_AT: JSON.stringify(death), LOG_LEVEL: "CRITICAL" });
skipSignatures();
waitPatiently();
const stack = await startStack({ settings, prefix, emulators: { environment, folder }, isPreloaded: false });
// Not before: if it died while it starts, nobody would learn where it is.
await import("./die-at.ts");
setInterval(flushCompileCache, keepMilliseconds).unref();
process.on("disconnect", () => stack.stop());
process.send?.({ publicUrl: stack.publicUrl, internalUrl: stack.internalUrl });
