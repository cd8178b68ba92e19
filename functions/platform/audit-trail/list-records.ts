import * as z from "zod";
import { type AuditRecord, chainOf } from "#shared/platform/audit/audit-record.ts";
import type { TablePlace } from "#shared/platform/audit/audit-store.ts";
import type { Cause } from "#shared/platform/audit/place.ts";
import type { FilePlace, RecordPlace } from "#shared/platform/audit/reader.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { hasOwnerRights } from "#shared/teams/member.ts";
import type { Deps } from "./deps.ts";
import { fileCursor, recordCursor, searchCursor } from "./schemas.ts";

interface Selection {
  readonly from: string;
  readonly to?: string | undefined;
  readonly event?: string | undefined;
  readonly network?: string | undefined;
  readonly size: number;
  readonly start?: RecordPlace | undefined;
}

interface Subject {
  readonly user?: string | undefined;
  readonly team?: string | undefined;
  readonly chain?: string | undefined;
}

/**
 * List records of one subject. Records of a user are in the chain of the user's team; older ones, from before the user
 * joined it, are in the chain of people without a team, and those of operators about several users in that of the
 * installation.
 *
 * @throws ApiError `bad-request` unless exactly one subject is named
 * @see operation `i-list-audit-records`
 */
export async function listRecords(deps: Deps, { user, team, chain, ...selection }: Selection & Subject) {
  if ([user, team, chain].filter((one) => one !== undefined).length !== 1)
    throw new ApiError("bad-request", { message: "Name one of user, team and chain" });
  if (user === undefined) return list(deps, [chain ?? chainOf({ team })], selection);
  const account = await deps.accounts.get(user);
  const chains = [chainOf({ user }), ...(account?.teamId ? [chainOf({ team: account.teamId })] : [])];
  return list(deps, [...chains, chainOf({})], selection, (record) => isAbout(record, user));
}

/** Whether a record is of an action of the user, or names the user among its targets. */
const isAbout = ({ actor, target }: AuditRecord, userId: string): boolean =>
  actor.user === userId || Object.values(target).some((ids) => ids.split(" ").includes(userId));

/**
 * List records of a team, for one of its owners.
 *
 * @throws ApiError `not-a-team-member`, `access-denied`
 * @see operation `i-list-team-audit-records`
 */
export async function listOfTeam(
  deps: Deps,
  member: { teamId: string; userId: string },
  selection: Selection,
) {
  const found = await deps.teams.getMember(member);
  if (found === undefined) throw new ApiError("not-a-team-member");
  if (!hasOwnerRights(found)) throw new ApiError("access-denied");
  return list(deps, [chainOf({ team: member.teamId })], selection);
}

interface Search {
  readonly from: string;
  readonly to: string;
  readonly event?: string | undefined;
  readonly start?: TablePlace | undefined;
}

/** List what was done from a network. @see operation `i-find-audit-records-of-network` */
export const listOfNetwork = (deps: Deps, { network, ...search }: Search & { readonly network: string }) =>
  listCausedBy(deps, { network: networkOf(network) }, search);

/** List what an operator did. @see operation `i-find-audit-records-of-operator` */
export const listOfOperator = (
  deps: Deps,
  { principal, ...search }: Search & { readonly principal: string },
) => listCausedBy(deps, { principal }, search);

async function listCausedBy({ audit }: Deps, cause: Cause, { from, to, event, start }: Search) {
  const period = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const { records, next } = await audit.ofCause(cause, period, start);
  return {
    records: records.filter((record) => event === undefined || record.event === event).map(toView),
    ...(next !== undefined && { next: z.encode(searchCursor, next) }),
  };
}

/** List parts of the trail with files. @see operation `i-list-audit-chains` */
export async function listChains(
  { audit }: Deps,
  { after, size }: { after?: string | undefined; size: number },
) {
  const chains = await audit.chains({ after, limit: size });
  return { chains, ...(chains.length === size && { next: chains.at(-1) }) };
}

/** Read files of a chain. @see operation `i-list-audit-files` */
export async function listFiles(
  { audit }: Deps,
  { chain, ...period }: { chain: string; from: string; start?: FilePlace | undefined },
) {
  const { next, isCut, ...page } = await audit.files(chain, period);
  return { ...page, is_cut: isCut, ...(next !== undefined && { next: z.encode(fileCursor, next) }) };
}

async function list(
  { audit, clock }: Deps,
  chains: readonly string[],
  { from, to, event, network: address, size, start }: Selection,
  isOfSubject: (record: AuditRecord) => boolean = () => true,
) {
  const network = address && networkOf(address);
  const { records, damaged, next } = await audit.page(chains, {
    from: new Date(from).toISOString(),
    to: new Date(to ?? clock() + 1).toISOString(),
    limit: size,
    start,
    isWanted: (record) =>
      (event === undefined || record.event === event) &&
      (network === undefined || record.network === network) &&
      isOfSubject(record),
  });
  return {
    records: records.map(toView),
    ...(damaged.length > 0 && { damaged }),
    ...(next !== undefined && { next: z.encode(recordCursor, next) }),
  };
}

const toView = ({ requestId, ...record }: AuditRecord) => ({
  ...record,
  ...(requestId !== undefined && { request_id: requestId }),
});
