import { verifyChain } from "#lib/audit/verify-chain.ts";
import { auditEvents } from "#shared/registry/audit-events.ts";
import { limit, team, user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { theUser } from "./find-user.ts";

const chain = {
  kind: "text",
  placeholder: "CHAIN",
  description: "part of the trail: installation, team-ID, or people- and a hexadecimal digit",
} as const;

interface Records {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly next?: string;
}

export const auditList = defineCommand({
  name: "audit list",
  summary: "List who has changed what for or by a user, in a team, or in another part of the trail",
  examples: [
    "audit list --user ada@example.com --from 2026-11-01 --stage prod",
    "audit list --team ID --from 2026-11-01 --event conversation.deleted",
    "audit list --chain installation --from 2026-11-26T20:00Z --json",
  ],
  effect: "reads",
  options: {
    user: { ...user, description: "the user who did it, or to whom it was done" },
    team,
    chain,
    from: { kind: "text", placeholder: "TIME", isRequired: true, description: "a day or a time, in UTC" },
    to: { kind: "text", placeholder: "TIME", description: "end of the period; by default now" },
    event: {
      kind: "choice",
      placeholder: "EVENT",
      choices: Object.keys(auditEvents),
      description: "only records of this event",
    },
    limit,
  },
  async run({ api, note }, { user, team, chain, from, to, event, limit }) {
    const subjects = { user: user && (await theUser(api, user)).id, team, chain };
    const period = { from: toTime(from), ...(to !== undefined && { to: toTime(to) }) };
    const given = { ...subjects, ...period, event };
    const query = Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const entries: Records["records"][number][] = [];
    let start: string | undefined;
    do {
      const size = String(Math.min(500, limit - entries.length));
      const page: Records = await api.read("/i/audit", {
        query: { ...query, size, ...(start !== undefined && { start }) },
      });
      entries.push(...page.records);
      start = page.next;
    } while (start !== undefined && entries.length < limit);
    if (start !== undefined) note("There are more: raise --limit.");
    return entries;
  },
});

export const auditVerify = defineCommand({
  name: "audit verify",
  summary: "Verify that nothing of a part of the trail is missing, was added or has changed",
  examples: [
    "audit verify --chain installation --stage prod",
    "audit verify --chain team-ID --from 2026-11-01",
  ],
  effect: "reads",
  options: {
    chain: { ...chain, isRequired: true },
    from: { kind: "text", placeholder: "DAY", description: "the first day; by default, all that is kept" },
  },
  async run({ api, fail }, { chain, from }) {
    const first: Record<string, string> = from === undefined ? {} : { from: toTime(from).slice(0, 13) };
    const result = await verifyChain((start) =>
      api.read("/i/audit/files", {
        query: { chain, ...first, ...(start !== undefined && { start }) },
      }),
    );
    if (result.problem !== undefined) fail();
    return { chain, ...result };
  },
});

function toTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new CommandError(`${text} is no day or time, such as 2026-11-26`);
  return time.toISOString();
}
