import { afterAll } from "vitest";
import { killRelays } from "./fork-relay.ts";
import { stopOwnStacks } from "./own-stack.ts";
import { terminateSockets } from "./socket.ts";

// Runs after each file, because the files of a worker share the modules imported here.
afterAll(async () => {
  terminateSockets();
  killRelays();
  await stopOwnStacks();
});
