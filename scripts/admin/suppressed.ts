import { type Command, only } from "./command.ts";
import { CommandError } from "./command-error.ts";

const path = "/i/mail-suppressions";
const what = "ADDRESS";

export const suppressedShow: Command = {
  name: "suppressed show",
  usage: what,
  summary: "Show why an address, as the account spells it, gets no mail",
  examples: ["suppressed show ada@example.com --stage prod"],
  async run({ api }, args) {
    const email = only(args, what);
    const suppression = await api.find(path, { query: { email } });
    if (suppression === undefined) throw new CommandError(`${email} is not suppressed`);
    return suppression;
  },
};

export const suppressedLift: Command = {
  name: "suppressed lift",
  usage: what,
  summary: "Let an address, as the account spells it, get mail again",
  examples: ["suppressed lift ada@example.com --stage prod"],
  async run({ api, note }, args) {
    const email = only(args, what);
    await api.call("DELETE", path, { query: { email } });
    note("SES keeps a list of its own: aws sesv2 delete-suppressed-destination removes the address there.");
    return undefined;
  },
};
