import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";

export const defaultProvider = defineCommand({
  name: "default-provider",
  summary: "Show or set the identity provider that clients offer to everybody",
  examples: [
    "default-provider --stage prod",
    "default-provider --set 7f0e3a52-98c6-4b27-b7e5-0d1f6a3c9b84 --stage prod",
    "default-provider --none --stage prod",
  ],
  effect: "changes",
  options: {
    set: { kind: "id", description: "id from team providers list" },
    none: { kind: "flag", description: "offer none" },
  },
  async run({ api }, { set, none }) {
    if (set !== undefined && none) throw new CommandError("Name either --set or --none");
    if (set === undefined && !none) return api.read("/sso/settings");
    const json = { default_sso_code: set ?? null };
    return api.call("PUT", "/i/sso/settings", { json });
  },
});
