// Restores tables until it dies, as if the operator's machine had failed. Forked by `dyingRestore`.
import { once } from "node:events";
import { restore } from "#lib/restore/restore.ts";
import { waitPatiently } from "../patient-calls.ts";
import { answerRestores } from "../point-in-time.ts";
import type { RestorePlan } from "./kills.ts";

const [{ options, snapshot }] = (await once(process, "message")) as [RestorePlan];
waitPatiently();
answerRestores(snapshot);
// Imported after that, or it would not see the calls that are answered there.
await import("./die-at.ts");
await restore(options);
process.disconnect();
