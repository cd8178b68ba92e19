import { user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { theUser } from "./find-user.ts";

export const userLimitsShow = defineCommand({
  name: "user limits show",
  summary: "Show which limits now refuse logins and codes of a user, and for how long",
  examples: ["user limits show ada@example.com --stage prod"],
  effect: "reads",
  arguments: { user },
  async run({ api }, values) {
    const { id } = await theUser(api, values.user);
    const { limits } = await api.read(`/i/users/${id}/limits`);
    return limits;
  },
});

export const userLimitsReset = defineCommand({
  name: "user limits reset",
  summary: "Forget the failed logins and wrong codes of a user, so that no limit refuses the next",
  examples: ["user limits reset ada@example.com --stage prod"],
  effect: "changes",
  arguments: { user },
  async run({ api }, values) {
    const { id } = await theUser(api, values.user);
    await api.call("DELETE", `/i/users/${id}/limits`);
  },
});

export const userResetSecondFactor = defineCommand({
  name: "user reset-second-factor",
  summary:
    "Withdraw the pending second-factor codes of a user and forget wrong attempts, so that a new code can be sent",
  examples: ["user reset-second-factor ada@example.com --stage prod"],
  effect: "changes",
  arguments: { user },
  async run({ api }, values) {
    const { id } = await theUser(api, values.user);
    await api.call("DELETE", `/i/users/${id}/verification-code`);
  },
});
