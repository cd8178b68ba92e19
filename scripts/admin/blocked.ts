import { type Context, defineCommand } from "./command.ts";
import { listCommand } from "./list-command.ts";

const values = {
  address: {
    kind: "address",
    description: "email address, domain, or phone number in E.164 form",
  },
} as const;

const change =
  (method: string) =>
  async ({ api }: Context, { address }: { address: string }) => {
    await api.call(method, "/i/users/blacklist", { query: queryOf(address) });
  };

function queryOf(address: string): Record<string, string> {
  if (address.startsWith("+")) return { phone: address };
  return { email: address.includes("@") ? address : `@${address}` };
}

export const blockedList = listCommand(
  {
    name: "blocked list",
    summary: "List the email addresses, domains and phone numbers that nobody can register with",
    examples: ["blocked list --stage prod", "blocked list --limit 50 --json"],
  },
  { path: "/i/blocked-addresses", field: "blocked" },
);

export const blockedAdd = defineCommand({
  name: "blocked add",
  summary:
    "Block an email address in all spellings, all addresses at a domain, or a phone number; an account that has it keeps it",
  examples: [
    "blocked add spam@example.com --stage prod",
    "blocked add spam.example --stage prod",
    "blocked add +491701234567 --dry-run",
  ],
  effect: "changes",
  arguments: values,
  run: change("POST"),
});

export const blockedRemove = defineCommand({
  name: "blocked remove",
  summary: "Unblock an email address, a domain or a phone number",
  examples: ["blocked remove spam@example.com --stage prod"],
  effect: "changes",
  arguments: values,
  run: change("DELETE"),
});
