import { team } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { pathOf } from "./team.ts";

export const teamSearchVisibility = defineCommand({
  name: "team search-visibility",
  summary: "Show, or choose, whom members of a team can find by name",
  examples: [
    "team search-visibility 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
    "team search-visibility 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --set no-name-outside-team --stage prod",
  ],
  effect: "changes",
  arguments: { team },
  options: {
    set: {
      kind: "choice",
      description: "everybody, or only members; needs the feature searchVisibility",
      choices: ["standard", "no-name-outside-team"],
    },
  },
  async run({ api }, { team: id, set }) {
    const path = `${pathOf(id)}/search-visibility`;
    if (set === undefined) return api.read(path);
    return api.call("PUT", path, { json: { search_visibility: set } });
  },
});
