import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import Negotiator from "negotiator";
import { type Account, currentStatus } from "#shared/accounts/account.ts";
import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import type { Devices } from "#shared/devices/device.ts";
import { maxAnswerBytes, textBytes } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Member } from "#shared/teams/member.ts";
import { roleOf } from "#shared/teams/permissions.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../../deps.ts";

/** The data of a row. */
interface ExportedMember {
  readonly member: Member;
  readonly account: Account;
  readonly inviter: Account | undefined;
  readonly richInfo: RichInfo | undefined;
  readonly devices: Devices | undefined;
}

type Cell = (exported: ExportedMember, deps: Deps) => string | undefined;

/** The columns in their order. */
const columns: Readonly<Record<string, Cell>> = {
  display_name: ({ account }) => account.name,
  handle: ({ account }) => account.handle,
  email: ({ account }) => account.email,
  role: ({ member }) => roleOf(member.permissions),
  created_on: ({ account: { scim }, member: { invitedAt = scim?.createdAt } }) =>
    invitedAt === undefined ? undefined : new Date(invitedAt).toISOString(),
  invited_by: ({ inviter }) => inviter?.handle,
  idp_issuer: ({ account }) => account.samlIdentity?.issuer,
  managed_by: ({ account }, { settings }) => (account.managedByScim ? "scim" : settings.vendor),
  saml_name_id: ({ account }) => account.samlIdentity?.nameId.text,
  scim_external_id: ({ account }) => account.scim?.externalId,
  scim_rich_info: ({ richInfo }) => (richInfo === undefined ? undefined : JSON.stringify(richInfo)),
  user_id: ({ account }) => account.userId,
  num_devices: ({ devices }) => String(Object.keys(devices?.devices ?? {}).length),
  last_active: ({ devices }) => lastActiveDay(devices),
  status: ({ account }, { clock }) => currentStatus(account, clock()),
};

/** Members whose data is read together, by eight concurrent requests to DynamoDB. */
const batchSize = 250;

/**
 * List the members of a team with their accounts as the lines of a CSV file, heading first, in the order of their ids.
 * Members who leave meanwhile are left out.
 *
 * @throws ApiError `access-denied`, for strangers too
 * @see operation `get-team-members-csv`
 */
export async function exportMembers(deps: Deps, membership: Membership): Promise<AsyncIterable<string>> {
  checkMember(
    await deps.teams.getMember(membership),
    { role: "admin" },
    { stranger: "access-denied", member: "access-denied" },
  );
  return linesOf(deps, membership.teamId);
}

async function* linesOf(deps: Deps, teamId: string): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns));
  const inviters = new Map<string, Account>();
  let after: string | undefined;
  do {
    const members = await deps.teams.pageOfMembers(teamId, { after, limit: batchSize });
    yield* (await readAll(deps, members, inviters)).map((exported) =>
      csvLine(Object.values(columns).map((cell) => cell(exported, deps) ?? "")),
    );
    after = members.length < batchSize ? undefined : members.at(-1)?.userId;
  } while (after !== undefined);
}

/** @param inviters accounts of inviters read so far; those of these members are added */
async function readAll(
  { accounts, devices, richInfo }: Deps,
  members: readonly Member[],
  inviters: Map<string, Account>,
): Promise<ExportedMember[]> {
  const userIds = members.map(({ userId }) => userId);
  const [people, richInfoOf, devicesOfAll] = await Promise.all([
    accounts.getMany(userIds),
    richInfo.getMany(userIds),
    devices.getMany(userIds),
  ]);
  const accountOf = new Map(people.map((account) => [account.userId, account]));
  const devicesOf = new Map(devicesOfAll.map((one) => [one.userId, one]));

  const inviterIds = new Set(members.flatMap(({ invitedBy }) => invitedBy ?? []));
  const unknown = [...inviterIds].filter((userId) => !inviters.has(userId));
  for (const inviter of await accounts.getMany(unknown)) inviters.set(inviter.userId, inviter);

  return members.flatMap((member) => {
    const { teamId, userId, invitedBy } = member;
    const account = accountOf.get(userId);
    if (account?.teamId !== teamId) return [];
    return {
      member,
      account,
      inviter: invitedBy === undefined ? undefined : inviters.get(invitedBy),
      richInfo: richInfoOf.get(userId),
      devices: devicesOf.get(userId),
    };
  });
}

function lastActiveDay(devices: Devices | undefined): string | undefined {
  const times = Object.values(devices?.devices ?? {}).flatMap(({ lastActiveAt }) => lastActiveAt ?? []);
  return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString().slice(0, 10);
}

/**
 * Characters that make spreadsheets take a field for a formula. An apostrophe in front prevents that; a leading
 * apostrophe is doubled.
 */
const formulaStart = /^[=+\-@\t\r']/;

/** A line of a CSV file (RFC 4180), with its line break; every field is quoted. */
export const csvLine = (fields: readonly string[]): string => `${fields.map(csvField).join(",")}\r\n`;

const csvField = (text: string) => `"${(formulaStart.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** Whether a client accepts a body compressed with gzip; a client that does not say so may be unable to. */
export const acceptsGzip = (acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined &&
  new Negotiator({ headers: { "accept-encoding": acceptEncoding } }).encoding(["gzip", "identity"]) ===
    "gzip";

/**
 * Join lines, uncompressed.
 * @throws ApiError `export-too-large` at the first line that no longer fits into one answer
 */
export async function joined(lines: AsyncIterable<string>): Promise<string> {
  const texts: string[] = [];
  let bytes = 0;
  for await (const line of lines) {
    bytes += textBytes(line);
    if (bytes > maxAnswerBytes) throw new ApiError("export-too-large");
    texts.push(line);
  }
  return texts.join("");
}

/** Functions return bytes as base64, which takes more room. */
const maxBytes = Math.floor((maxAnswerBytes * 3) / 4);

/**
 * Compress lines, outside the event loop.
 * @throws ApiError `export-too-large` as soon as the result no longer fits into one answer
 */
export async function gzipped(lines: AsyncIterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  await pipeline(Readable.from(lines), createGzip(), async (compressed: AsyncIterable<Buffer>) => {
    for await (const part of compressed) {
      bytes += part.length;
      if (bytes > maxBytes) throw new ApiError("export-too-large");
      parts.push(part);
    }
  });
  return Buffer.concat(parts);
}
