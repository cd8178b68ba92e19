import { auditEvents } from "#shared/registry/audit-events.ts";
import { limit, team, user } from "./arguments.ts";
import { type Entry, withNames } from "./audit-names.ts";
import { type Context, defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { theUser } from "./find-user.ts";
import { toInstant } from "./instant.ts";
import type { InternalApi } from "./internal-api.ts";

/** One part of the trail. */
export const chain = {
  kind: "text",
  placeholder: "CHAIN",
  description: "part of the trail: installation, team-ID, or people- and a hexadecimal digit",
} as const;

/** The longest period that the internal API looks through. */
const searchMilliseconds = 24 * 3_600_000;

/** All chains of users without a team. */
const peopleChains = Array.from({ length: 16 }, (_, digit) => `people-${digit.toString(16)}`);

/** A file that has changed since it was written. */
interface DamagedFile {
  readonly file: string;
  readonly problem: string;
}

export interface Records {
  readonly records: readonly Entry[];
  readonly damaged?: readonly DamagedFile[];
  readonly next?: string;
}

export const auditList = defineCommand({
  name: "audit list",
  summary: "List the changes by or to a user, in a team, or in another part of the trail",
  examples: [
    "audit list --user ada@example.com --from 2026-11-01 --stage prod",
    "audit list --team ID --from 2026-11-01 --event conversation.deleted",
    "audit list --chain installation --from 2026-11-26T20:00Z --json",
    "audit list --chain all --network 198.51.100.7 --from 2026-11-26T20:00Z --stage prod",
    "audit list --operator assumed-role/help-desk/grace --from 2026-11-26 --stage prod",
    "audit list --chain people --network 198.51.100.7 --from 2026-11-26T20:00Z --stage prod",
  ],
  effect: "reads",
  options: {
    user: { ...user, description: "the user who made the change, or whom it affected" },
    team,
    chain: {
      ...chain,
      description: `${chain.description}; people for all of the latter; all for everything from a --network within 24 hours`,
    },
    from: { kind: "text", placeholder: "TIME", isRequired: true, description: "a day or a time, in UTC" },
    to: { kind: "text", placeholder: "TIME", description: "end of the period; by default now" },
    event: {
      kind: "choice",
      placeholder: "EVENT",
      choices: Object.keys(auditEvents),
      description: "only records of this event",
    },
    network: {
      kind: "text",
      placeholder: "ADDRESS",
      description: "only actions from the network of this address (for IPv6, its /64)",
    },
    operator: {
      kind: "text",
      placeholder: "ARN",
      description: "only actions of this operator, for anybody, in the last 35 days: the ARN or a part of it",
    },
    limit: { ...limit, maximum: 1_000_000 },
  },
  async run({ api, note, fail }, { user, team, chain, from, to, event, network, operator, limit }) {
    if (operator !== undefined) {
      if ([user, team, chain, network].some((one) => one !== undefined))
        throw new CommandError("--operator is for all of the trail: name no user, team, chain or network");
      return withNames(api, await ofOperator({ api, note }, { operator, event, from, to, limit }));
    }
    const subjects = { user: user && (await theUser(api, user)).id, team, chain };
    const period = { from: toInstant(from), ...(to !== undefined && { to: toInstant(to) }) };
    const given = { ...subjects, ...period, event, network };
    const query = Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    if (chain === "all")
      return withNames(api, await ofNetwork({ api, note }, { user, team, network, event, from, to, limit }));
    const entries: Entry[] = [];
    const damaged = new Map<string, string>();
    let hasMore = false;
    for (const one of chain === "people" ? peopleChains : [chain]) {
      const list = await firstOf(api, { ...query, ...(one !== undefined && { chain: one }) }, limit);
      entries.push(...list.entries);
      for (const { file, problem } of list.damaged) damaged.set(file, problem);
      hasMore ||= list.hasMore;
    }
    for (const [file, problem] of damaged) {
      fail();
      note(adviceOn(file, problem));
    }
    if (hasMore || entries.length > limit)
      note("There are more: raise --limit, or write all into a file with audit export.");
    const oldest = entries.sort((one, other) => (one.time < other.time ? -1 : 1)).slice(0, limit);
    return withNames(api, oldest);
  },
});

/** Advice on a file that somebody has changed. */
const adviceOn = (file: string, problem: string): string =>
  `${file} has changed since it was written (${problem}): its records prove nothing. The bucket keeps the ` +
  `original version: see docs/audit-trail.md, "Damaged files"`;

interface OperatorSearch {
  readonly operator: string;
  readonly event: string | undefined;
  readonly from: string;
  readonly to: string | undefined;
  readonly limit: number;
}

/** Actions of an operator, one day after the other. */
async function ofOperator(
  { api, note }: Pick<Context, "api" | "note">,
  { operator, event, from, to, limit }: OperatorSearch,
): Promise<Entry[]> {
  const end = to === undefined ? Date.now() : Date.parse(toInstant(to));
  const entries: Entry[] = [];
  for (let start = Date.parse(toInstant(from)); start < end; start += searchMilliseconds) {
    const period = {
      from: new Date(start).toISOString(),
      to: new Date(Math.min(start + searchMilliseconds, end)).toISOString(),
    };
    const query = { ...period, principal: operator, ...(event !== undefined && { event }) };
    entries.push(...(await foundBy(api, "/i/audit/by-operator", query, limit + 1 - entries.length)));
    if (entries.length > limit) break;
  }
  if (entries.length > limit) note("There are more: raise --limit.");
  return entries.sort((one, other) => (one.time < other.time ? -1 : 1)).slice(0, limit);
}

/** Records that a search finds, until there are as many as are wanted. */
async function foundBy(
  api: InternalApi,
  path: string,
  query: Readonly<Record<string, string>>,
  wanted: number,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let next: string | undefined;
  do {
    const page: Records = await api.read(path, {
      query: { ...query, ...(next !== undefined && { start: next }) },
    });
    entries.push(...page.records);
    next = page.next;
    // Further records are of later hours, or of the last one's hour.
  } while (next !== undefined && entries.length < wanted);
  return entries;
}

interface Search {
  readonly user: string | undefined;
  readonly team: string | undefined;
  readonly network: string | undefined;
  readonly event: string | undefined;
  readonly from: string;
  readonly to: string | undefined;
  readonly limit: number;
}

/**
 * Actions from a network, by anybody.
 * @throws CommandError without a network, or for a period of more than 24 hours
 */
async function ofNetwork(
  { api, note }: Pick<Context, "api" | "note">,
  { user, team, network, event, from, to, limit }: Search,
): Promise<Entry[]> {
  if (network === undefined || user !== undefined || team !== undefined)
    throw new CommandError("--chain all is for a --network, without a user or a team");
  const start = Date.parse(toInstant(from));
  const end = to === undefined ? Date.now() : Date.parse(toInstant(to));
  if (end - start > searchMilliseconds)
    throw new CommandError("--chain all is for 24 hours at most: name an earlier --to or a later --from");
  const period = { from: new Date(start).toISOString(), to: new Date(end).toISOString() };
  const query = { ...period, network, ...(event !== undefined && { event }) };
  const entries = await foundBy(api, "/i/audit/by-network", query, limit + 1);
  if (entries.length > limit) note("There are more: raise --limit.");
  return entries.sort((one, other) => (one.time < other.time ? -1 : 1)).slice(0, limit);
}

/** The oldest records that a query finds. */
async function firstOf(api: InternalApi, query: Readonly<Record<string, string>>, limit: number) {
  const entries: Entry[] = [];
  const damaged: DamagedFile[] = [];
  let start: string | undefined;
  do {
    const size = String(Math.min(500, limit - entries.length));
    const page: Records = await api.read("/i/audit", {
      query: { ...query, size, ...(start !== undefined && { start }) },
    });
    entries.push(...page.records);
    damaged.push(...(page.damaged ?? []));
    start = page.next;
  } while (start !== undefined && entries.length < limit);
  return { entries, damaged, hasMore: start !== undefined };
}
