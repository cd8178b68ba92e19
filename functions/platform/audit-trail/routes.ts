import * as z from "zod";
import { chainPattern } from "#shared/platform/audit/audit-record.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { auditEvents, unaudited } from "#shared/registry/audit-events.ts";
import { fileCursor, hour, recordCursor, searchCursor } from "./schemas.ts";
import { routes as teamPage } from "./team-page/routes.ts";

const chain = z.string().regex(chainPattern);

/** With an offset, the year in UTC may be outside the range that names of files allow. */
const instant = wire.queryInstant.refine((text) => {
  const year = new Date(text).getUTCFullYear();
  return year >= 0 && year <= 9999;
}, "not a year of four digits in UTC");

const period = {
  from: instant.meta({ description: "Start of the period" }),
  to: instant.optional().meta({ description: "End of the period; by default now" }),
};

const selection = {
  ...period,
  event: z
    .enum(Object.keys(auditEvents) as [keyof typeof auditEvents])
    .optional()
    .meta({ description: "Only records of this event" }),
  network: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "Only what was done from the network of this address: of IPv6, its /64" }),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(100)
    .meta({ description: "Maximum length of the page" }),
  start: recordCursor.optional().meta({ description: "`next` of the page before" }),
};

const teamQuery = z.object(selection);

const query = z.object({
  ...selection,
  user: wire.userId.optional().meta({ description: "Only what this user did, or what was done to them" }),
  team: wire.uuid.optional().meta({ description: "Only what was done in this team" }),
  chain: chain.optional().meta({ description: "Only this part of the trail, such as `installation`" }),
});

/** The longest period for which all parts of the trail are searched. */
const longestSearchMilliseconds = 24 * 3_600_000;

const search = {
  from: period.from,
  to: instant.meta({ description: "End of the period: 24 hours after its start at most" }),
  event: selection.event,
  start: searchCursor.optional().meta({ description: "`next` of the page before" }),
};

const isShort = ({ from, to }: { readonly from: string; readonly to: string }) =>
  Date.parse(to) - Date.parse(from) <= longestSearchMilliseconds;
const tooLong = { message: "a period of more than 24 hours" };

const networkQuery = z
  .object({
    ...search,
    network: z
      .string()
      .min(1)
      .max(100)
      .meta({ description: "What was done from the network of this address: of IPv6, its /64" }),
  })
  .refine(isShort, tooLong);

const operatorQuery = z
  .object({
    ...search,
    principal: z
      .string()
      .min(3)
      .max(200)
      .meta({ description: "The ARN of the operator, or a part of it, such as the name of a session" }),
  })
  .refine(isShort, tooLong);

const filesQuery = z.object({
  chain: chain.meta({
    description: "`installation`, `team-` and an id, or `people-` and a hexadecimal digit",
  }),
  from: hour.default("2000-01-01T00").meta({ description: "Hour of the first file, in UTC" }),
  start: fileCursor.optional().meta({ description: "`next` of the page before" }),
});

const teamPath = z.object({ tid: wire.uuid.meta({ description: "Id of the team" }) });

const owner = z.object({ "Z-User": wire.userId.meta({ description: "An owner of the team" }) });

const ids = z.record(z.string(), z.string());

const record = z
  .object({
    time: z.string(),
    event: z.string(),
    operation: z.string(),
    actor: ids.meta({ description: "Who did it: `kind` and ids" }),
    target: ids.meta({ description: "Ids of what it was done to" }),
    changes: z
      .record(z.string(), ids)
      .optional()
      .meta({ description: "What was changed, each with its value `before` and `after`" }),
    team: z.string().optional(),
    network: z.string().optional(),
    request_id: z.string().optional(),
    command: ids.optional().meta({
      description: "The operator's command that did it: `name`, and the `id` that all its records have",
    }),
    error: z.string().optional().meta({ description: "Label of the refusal; absent: it was done" }),
    count: z.number().optional().meta({ description: "Number of attempts that were refused" }),
  })
  .meta({ id: "AuditRecord" });

const damagedFiles = z
  .array(z.object({ file: z.string(), problem: z.string() }))
  .meta({ description: "Files that somebody has changed: what the page has of their hours proves nothing" });

const records = z
  .object({
    records: z.array(record),
    damaged: damagedFiles.optional(),
    next: wire.nextCursor.optional(),
  })
  .meta({
    id: "AuditRecords",
    description:
      "Hour by hour: changes, the oldest first, then refused attempts. A page may be empty although there is another.",
  });

const chainsQuery = z.object({
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .meta({ description: "Maximum length of the page" }),
  start: chain.optional().meta({ description: "`next` of the page before" }),
});

const chains = z
  .object({ chains: z.array(z.string()), next: wire.nextCursor.optional() })
  .meta({ id: "AuditChains" });

const files = z
  .object({
    files: z.array(z.string()).meta({ description: "Contents, in JSON lines" }),
    is_cut: z
      .boolean()
      .meta({ description: "Whether the last of these goes on in the first of the next page" }),
    head: z
      .object({ file: z.int(), hash: z.string() })
      .optional()
      .meta({ description: "The newest file; absent if it is older than the period or has expired" }),
    next: wire.nextCursor.optional(),
  })
  .meta({ id: "AuditFiles" });

const internalRoutes = defineRoutes({
  "i-list-audit-records": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit",
    auth: "internal",
    summary: "List who has changed what",
    description: "Of one user, team or part of the trail, which must be named.",
    query: query,
    responses: { 200: records },
    errors: [],
  },
  "i-find-audit-records-of-network": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit/by-network",
    auth: "internal",
    summary: "List what was done from a network, in all teams and by everybody",
    description:
      "Of the last 35 days, up to 24 hours at a time, hour by hour; within an hour in any order. A page may be empty " +
      "although there is another. It reads all records of the period.",
    query: networkQuery,
    responses: { 200: records },
    errors: [],
  },
  "i-find-audit-records-of-operator": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit/by-operator",
    auth: "internal",
    summary: "List what an operator did or read, in all teams and for everybody",
    description:
      "Of the last 35 days, up to 24 hours at a time, hour by hour; within an hour in any order. A page may be empty " +
      "although there is another. It reads all records of the period.",
    query: operatorQuery,
    responses: { 200: records },
    errors: [],
  },
  "i-list-team-audit-records": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/teams/{tid}/audit",
    auth: "internal",
    summary: "List who has changed what in a team, on behalf of an owner",
    params: teamPath,
    headers: owner,
    query: teamQuery,
    responses: { 200: records },
    errors: ["not-a-team-member", "access-denied"],
  },
  "i-list-audit-chains": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit/chains",
    auth: "internal",
    summary: "List the parts of the audit trail that have files",
    query: chainsQuery,
    responses: { 200: chains },
    errors: [],
  },
  "i-list-audit-files": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit/files",
    auth: "internal",
    summary: "Get files of the audit trail as they are, to verify them",
    query: filesQuery,
    responses: { 200: files },
    errors: [],
  },
});

export const routes = { ...internalRoutes, ...teamPage };
