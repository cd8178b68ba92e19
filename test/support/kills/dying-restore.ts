// Restores tables until it dies, as if the operator's machine had failed. Forked by `dyingRestore`.
import "./die-at.ts";
import { once } from "node:events";
import { restore } from "#lib/restore/restore.ts";
import { waitPatiently } from "../patient-calls.ts";
import { answerRestores } from "../point-in-time.ts";
import type { RestorePlan } from "./kills.ts";

const [{ options, snapshot }] = (await once(process, "message")) as [RestorePlan];
waitPatiently();
answerRestores(snapshot);
await restore(options);
process.disconnect();
