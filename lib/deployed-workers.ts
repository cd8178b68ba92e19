import { workers } from "#functions/families.ts";
import type { Worker } from "#shared/platform/manifest.ts";
import { hasSocketApi, type SocketMode, type Stage } from "./stage.ts";

/**
 * The workers of a stage: without those of the WebSocket API if relays hold all sockets, and with a canary only if the
 * stage asks for it.
 */
export const deployedWorkers = (stage: SocketMode & Pick<Stage, "canary">): readonly Worker[] =>
  workers.filter(
    (worker) =>
      (hasSocketApi(stage) || !servesSocketApi(worker)) && (stage.canary || worker.isClient !== true),
  );

const servesSocketApi = ({ trigger }: Worker) => "sockets" in trigger || "socketLog" in trigger;
