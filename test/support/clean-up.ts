import { afterAll } from "vitest";
import { stopOwnStacks } from "./own-stack.ts";
import { terminateSockets } from "./socket.ts";

// Runs after each file, because the files of a worker share the modules imported here.
afterAll(async () => {
  terminateSockets();
  await stopOwnStacks();
});
