import { type Command, only } from "./command.ts";
import { listCommand } from "./list-command.ts";

const what = "ADDRESS|NUMBER";

const change =
  (method: string): Command["run"] =>
  async ({ api }, args) => {
    const address = only(args, what);
    const query: Record<string, string> = address.startsWith("+") ? { phone: address } : { email: address };
    await api.call(method, "/i/users/blacklist", { query });
    return undefined;
  };

export const blockedList = listCommand(
  {
    name: "blocked list",
    summary: "List the email addresses and phone numbers that nobody can register with",
    examples: ["blocked list --stage prod", "blocked list --limit 50 --json"],
  },
  { path: "/i/blocked-addresses", field: "blocked" },
);

export const blockedAdd: Command = {
  name: "blocked add",
  usage: what,
  summary: "Block an email address, in all spellings, or a phone number; an account that has it keeps it",
  examples: ["blocked add spam@example.com --stage prod", "blocked add +491701234567 --dry-run"],
  run: change("POST"),
};

export const blockedRemove: Command = {
  name: "blocked remove",
  usage: what,
  summary: "Unblock an email address or phone number",
  examples: ["blocked remove spam@example.com --stage prod"],
  run: change("DELETE"),
};
