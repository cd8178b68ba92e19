import { type Command, only } from "./command.ts";

const send =
  (action: string): Command["run"] =>
  async ({ api }, args) => {
    const id = only(args, "the id of a team");
    await api.call("POST", `/i/teams/${encodeURIComponent(id)}/${action}`);
    return undefined;
  };

export const teamSuspend: Command = {
  name: "team suspend",
  usage: "ID",
  summary: "Suspend a team and its members, in the background",
  examples: ["team suspend 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  run: send("suspend"),
};

export const teamResume: Command = {
  name: "team resume",
  usage: "ID",
  summary: "End the suspension of a team and of those who were suspended with it",
  examples: ["team resume 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  run: send("unsuspend"),
};
