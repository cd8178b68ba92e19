import { afterAll } from "vitest";
import { stopOwnStacks } from "./own-stack.ts";
import { terminateSockets } from "./socket.ts";

// Runs for each file: modules of support are loaded once for all files of a worker.
afterAll(async () => {
  terminateSockets();
  await stopOwnStacks();
});
