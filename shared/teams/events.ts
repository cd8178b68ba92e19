import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { anyObject, utcTime } from "#shared/platform/http/wire-types.ts";
import { featureStatus, lockStatus } from "#shared/registry/feature-configs.ts";
import { featureNames } from "./features/catalogue.ts";
import { permissionSet } from "./permissions.ts";
import { teamView } from "./team-view.ts";

/** A team is founded. */
export const teamCreate = defineEvent({
  type: "team.create",
  summary: "You have founded a team",
  recipients: "self",
  schema: z.object({ team: z.uuid(), time: utcTime, data: teamView }),
});

const changedFields = z.object({
  name: z.string().optional(),
  icon: z.string().optional(),
  icon_key: z.string().optional(),
  splash_screen: z.string().optional(),
});

/** A team changes. */
export const teamUpdate = defineEvent({
  type: "team.update",
  summary: "Your team changes; only the changed fields are present",
  recipients: "team-admins",
  isTransient: true,
  schema: z.object({ team: z.uuid(), time: utcTime, data: changedFields }),
});

/** A team is deleted together with its members' accounts. */
export const teamDelete = defineEvent({
  type: "team.delete",
  summary: "Your team is deleted, and your account with it",
  recipients: "team",
  schema: z.object({ team: z.uuid(), time: utcTime, data: z.null() }),
});

/** The data of events that name a member. */
const memberData = z.object({ user: z.uuid() }).meta({ id: "TeamMemberEventData" });

/** Somebody joins a team. The team's log keeps it for the members who get no event. */
export const teamMemberJoin = defineEvent({
  type: "team.member-join",
  summary: "Somebody joins your team",
  recipients: "team-admins",
  isTransient: true,
  skipsOrigin: false,
  schema: z.object({ team: z.uuid(), time: utcTime, data: memberData }),
});

/** A member's permissions change. */
export const teamMemberUpdate = defineEvent({
  type: "team.member-update",
  summary: "The permissions of a member of your team change",
  recipients: "team-admins",
  isTransient: true,
  schema: z.object({
    team: z.uuid(),
    time: utcTime,
    data: z.object({ user: z.uuid(), permissions: permissionSet }),
  }),
});

/** Somebody leaves a team, because the account is deleted. */
export const teamMemberLeave = defineEvent({
  type: "team.member-leave",
  summary: "Somebody leaves your team",
  recipients: "team",
  isTransient: true,
  schema: z.object({ team: z.uuid(), time: utcTime, data: memberData }),
});

const featureConfig = z.object({
  status: featureStatus,
  lockStatus,
  ttl: z.literal("unlimited"),
  config: anyObject.optional(),
});

/** A feature of a team changes. */
export const featureConfigUpdate = defineEvent({
  type: "feature-config.update",
  summary: "A feature of your team changes",
  recipients: "team",
  skipsOrigin: false,
  schema: z.object({ team: z.uuid(), name: z.enum(featureNames), data: featureConfig }),
});
