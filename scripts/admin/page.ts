import { readStage } from "#lib/stage.ts";
import { internalOperations } from "./api-documents.ts";
import { defineCommand } from "./command.ts";
import { endpointOf } from "./connect.ts";
import { servePage } from "./page/serve-page.ts";

export const page = defineCommand({
  name: "page",
  summary: "Serve a page with all commands, for one browser on this machine, until Ctrl+C",
  examples: ["page", "page --stage prod", "page --stage prod --port 8090"],
  effect: "reads",
  isForTerminal: true,
  options: {
    port: {
      kind: "integer",
      description: "port of 127.0.0.1; 0 is any free one",
      maximum: 65_535,
      default: "0",
    },
  },
  async run({ stage, url, isDryRun, commands, note }, { port }) {
    const endpoint = await endpointOf({ stage, url });
    await servePage({
      stage,
      url,
      endpoint: async () => endpoint,
      commands,
      isDryRun,
      operations: internalOperations(),
      port,
      place: `${stage === undefined ? "this machine" : `stage ${stage}`}${isDryRun ? ", dry run" : ""}`,
      isProtected: stage !== undefined && readStage(stage).isProtected,
      announce: (link) => note(`Open, once: ${link}`),
    });
    await new Promise(() => {});
  },
});
