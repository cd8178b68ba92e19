import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";

const path = "/i/mail-suppressions";
const email = { kind: "email", description: "email address, as the account spells it" } as const;

export const suppressedShow = defineCommand({
  name: "suppressed show",
  summary: "Show why an address gets no mail",
  examples: ["suppressed show ada@example.com --stage prod"],
  effect: "reads",
  arguments: { address: email },
  async run({ api }, { address }) {
    const suppression = await api.find(path, { query: { email: address } });
    if (suppression === undefined) throw new CommandError(`${address} is not suppressed`);
    return suppression;
  },
});

export const suppressedLift = defineCommand({
  name: "suppressed lift",
  summary: "Let an address get mail again",
  examples: ["suppressed lift ada@example.com --stage prod"],
  effect: "changes",
  arguments: { address: email },
  async run({ api, note }, { address }) {
    await api.call("DELETE", path, { query: { email: address } });
    note("SES keeps a list of its own: aws sesv2 delete-suppressed-destination removes the address there.");
  },
});
