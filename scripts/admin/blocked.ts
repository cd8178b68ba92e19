import { emailOrPhone } from "./arguments.ts";
import { type Context, defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { listCommand } from "./list-command.ts";

const values = { address: emailOrPhone };

const change =
  (method: string) =>
  async ({ api }: Context, { address }: { address: string }) => {
    if (!/[@+]/.test(address))
      throw new CommandError(
        `${address} is no address or number. For all addresses of a domain: setDomainsBlockedForRegistration in the ` +
          "stage file, and users suspend --domain for people who have registered already",
      );
    const query: Record<string, string> = address.startsWith("+") ? { phone: address } : { email: address };
    await api.call(method, "/i/users/blacklist", { query });
  };

export const blockedList = listCommand(
  {
    name: "blocked list",
    summary: "List the email addresses and phone numbers that nobody can register with",
    examples: ["blocked list --stage prod", "blocked list --limit 50 --json"],
  },
  { path: "/i/blocked-addresses", field: "blocked" },
);

export const blockedAdd = defineCommand({
  name: "blocked add",
  summary: "Block an email address, in all spellings, or a phone number; an account that has it keeps it",
  examples: ["blocked add spam@example.com --stage prod", "blocked add +491701234567 --dry-run"],
  effect: "changes",
  arguments: values,
  run: change("POST"),
});

export const blockedRemove = defineCommand({
  name: "blocked remove",
  summary: "Unblock an email address or phone number",
  examples: ["blocked remove spam@example.com --stage prod"],
  effect: "changes",
  arguments: values,
  run: change("DELETE"),
});
