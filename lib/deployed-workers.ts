import { workers } from "#functions/families.ts";
import type { Worker } from "#shared/platform/manifest.ts";
import { hasSocketApi, type SocketMode, type Stage } from "./stage.ts";

/** The workers that a stage has: not those of the WebSocket API where relays hold all sockets, nor a canary by default. */
export const deployedWorkers = (stage: SocketMode & Pick<Stage, "canary">): readonly Worker[] =>
  workers.filter(
    (worker) =>
      (hasSocketApi(stage) || !servesSocketApi(worker)) && (stage.canary || worker.isClient !== true),
  );

const servesSocketApi = ({ trigger }: Worker) => "sockets" in trigger || "socketLog" in trigger;
