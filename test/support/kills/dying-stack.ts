// Runs a stack until it dies. Forked by `dyingStack`.
import { startStack } from "#lib/local/stack.ts";
import { waitPatiently } from "../patient-calls.ts";
import { skipSignatures } from "../unsigned-calls.ts";
import type { StackPlan } from "./kills.ts";

const { environment, folder, prefix, settings } = JSON.parse(process.env.STACK ?? "") as StackPlan;
skipSignatures();
waitPatiently();
Object.assign(process.env, environment, { LOG_LEVEL: "CRITICAL" });
const stack = await startStack({ settings, prefix, emulators: { environment, folder }, isPreloaded: false });
// Not earlier: if the process died during its start, its parent would wait for its addresses forever.
await import("./die-at.ts");
process.on("disconnect", () => stack.stop());
process.send?.({ publicUrl: stack.publicUrl, internalUrl: stack.internalUrl });
