import { afterAll } from "vitest";
import { keepAnswers } from "./answers.ts";
import { countCosts } from "./costs.ts";
import { dropEffects } from "./effects.ts";
import { killRelays } from "./fork-relay.ts";
import { killDying } from "./kills/kills.ts";
import { killOwnRunners } from "./own-runner.ts";
import { stopOwnStacks } from "./own-stack.ts";
import { stopVariants, writeRecorded } from "./shared-stack.ts";
import { terminateSockets } from "./socket.ts";
import { stopTlsServices } from "./tls-service.ts";

countCosts();
keepAnswers();

// Runs after each file, because the files of a worker share the modules imported here.
afterAll(async () => {
  terminateSockets();
  killRelays();
  killDying();
  stopTlsServices();
  await Promise.all([stopOwnStacks(), killOwnRunners()]);
  await dropEffects();
  await stopVariants();
  await writeRecorded();
});
