import { team } from "./arguments.ts";
import { type Context, defineCommand } from "./command.ts";

const send =
  (action: string) =>
  async ({ api }: Context, values: { team: string }) => {
    await api.call("POST", `/i/teams/${encodeURIComponent(values.team)}/${action}`);
  };

export const teamSuspend = defineCommand({
  name: "team suspend",
  summary: "Suspend a team and its members, in the background",
  examples: ["team suspend 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "changes",
  arguments: { team },
  run: send("suspend"),
});

export const teamResume = defineCommand({
  name: "team resume",
  summary: "End the suspension of a team and of those who were suspended with it",
  examples: ["team resume 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "changes",
  arguments: { team },
  run: send("unsuspend"),
});
