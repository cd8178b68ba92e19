// Runs a stack until it dies. Forked by `dyingStack`.
import "./die-at.ts";
import { startStack } from "#lib/local/stack.ts";
import { waitPatiently } from "../patient-calls.ts";
import { skipSignatures } from "../unsigned-calls.ts";
import type { StackPlan } from "./kills.ts";

const { environment, folder, prefix, settings } = JSON.parse(process.env.STACK ?? "") as StackPlan;
skipSignatures();
waitPatiently();
Object.assign(process.env, environment, { LOG_LEVEL: "CRITICAL" });
const stack = await startStack({ settings, prefix, emulators: { environment, folder }, isPreloaded: false });
process.on("disconnect", () => stack.stop());
process.send?.({ publicUrl: stack.publicUrl, internalUrl: stack.internalUrl });
