import { readFileSync } from "node:fs";
import { parseDomain } from "#shared/platform/domain-name.ts";
import { domainOfEmail } from "#shared/platform/email-address.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { profilesOf } from "./find-members.ts";
import { findUsers, type Profile } from "./find-user.ts";
import { toInstant } from "./instant.ts";
import type { InternalApi } from "./internal-api.ts";
import { listedUsers } from "./users-named.ts";

export const usersSuspend = defineCommand({
  name: "users suspend",
  summary:
    "Suspend several users: those in a list, with an address at a domain, or registered from a network",
  examples: [
    "users suspend --file spammers.txt --stage prod --dry-run",
    "users suspend --domain spam.example --from 2026-11-26 --stage prod --yes 41",
    "users suspend --network 198.51.100.7 --from 2026-11-26T20:00Z --to 2026-11-27T06:00Z --stage prod",
  ],
  effect: "changes",
  confirms: "the number of users",
  options: {
    file: { kind: "file", description: "file with ids, addresses, numbers or handles, one per line" },
    domain: { kind: "text", description: "users with an address there, verified or not" },
    network: { kind: "text", placeholder: "ADDRESS", description: "users who registered from this network" },
    from: {
      kind: "text",
      placeholder: "TIME",
      description: "with a domain or network: registered since then",
    },
    to: {
      kind: "text",
      placeholder: "TIME",
      description: "and before this time; with a network, within 24 hours",
    },
  },
  async run({ api, confirm, isDryRun, note }, { file, domain, network, from, to }) {
    if ([file, domain, network].filter((one) => one !== undefined).length !== 1)
      throw new CommandError("Name one of --file, --domain and --network");
    if (file === undefined && from === undefined) throw new CommandError("--from is missing");
    const period = {
      from: toInstant(from ?? "2000-01-01"),
      to: to === undefined ? new Date().toISOString() : toInstant(to),
    };
    const found =
      file !== undefined
        ? await ofFile(api, file)
        : domain !== undefined
          ? await atDomain(api, domain, period)
          : await ofNetwork(api, network ?? "", period);
    const users = found.filter(({ status }) => status === "active");
    if (users.length < found.length) note(`Not active, and left as they are: ${found.length - users.length}`);
    if (users.length === 0) throw new CommandError("There is nobody to suspend");
    note(`${users.length} users:\n${users.slice(0, shown).map(toLine).join("\n")}`);
    if (users.length > shown) note(`and ${users.length - shown} more`);
    await confirm(String(users.length), "these users, by their number");
    for (const { id } of users)
      await api.call("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } });
    return isDryRun ? undefined : { suspended: users.length };
  },
});

/** Number of users who are printed. */
const shown = 50;

const toLine = ({ id, name, email, email_unvalidated: unproved }: Profile) =>
  [name, email ?? unproved ?? "", id].join("  ");

/** @throws CommandError if a line names nobody: then nobody is suspended */
async function ofFile(api: InternalApi, file: string): Promise<Profile[]> {
  const names = readFileSync(file, "utf8")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((name) => name !== "");
  const users = new Map<string, Profile>();
  const unknown: string[] = [];
  for (const name of new Set(names)) {
    const [user] = await findUsers(api, name);
    if (user === undefined) unknown.push(name);
    else users.set(user.id, user);
  }
  if (unknown.length > 0)
    throw new CommandError(`Nobody is suspended, because these are unknown: ${unknown.join(", ")}`);
  return [...users.values()];
}

type Period = Readonly<Record<"from" | "to", string>>;

async function atDomain(api: InternalApi, domain: string, period: Period): Promise<Profile[]> {
  const sought = parseDomain(domain);
  if (sought === undefined) throw new CommandError(`${domain} is no domain`);
  const isThere = (address = "") => domainOfEmail(address) === sought;
  const users: Profile[] = [];
  for await (const user of listedUsers(api, period))
    if ([user.email, user.email_unvalidated].some(isThere)) users.push(user);
  return users;
}

async function ofNetwork(api: InternalApi, network: string, period: Period): Promise<Profile[]> {
  const ids = new Set<string>();
  let start: string | undefined;
  do {
    const page = await api.read("/i/audit/by-network", {
      query: { ...period, network, event: "account.registered", ...(start !== undefined && { start }) },
    });
    for (const { target, error } of page.records)
      if (error === undefined && target.uid !== undefined) ids.add(target.uid);
    start = page.next;
  } while (start !== undefined);
  return profilesOf(api, [...ids]);
}
