import * as z from "zod";
import { userId, utcTime, uuid } from "#shared/platform/http/wire-types.ts";
import { legalHoldStatus } from "#shared/teams/member.ts";
import { permissionSet } from "#shared/teams/permissions.ts";
import { teamPath } from "../schemas.ts";

export const memberPath = teamPath.extend({ uid: userId });

export const member = z
  .object({
    user: uuid,
    permissions: permissionSet.optional().meta({ description: "Only for those who may see it" }),
    created_by: uuid.nullable().meta({ description: "Who invited the member" }),
    created_at: utcTime.nullable(),
    legalhold_status: legalHoldStatus,
  })
  .meta({ id: "TeamMember" });
