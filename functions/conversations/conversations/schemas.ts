import * as z from "zod";
import * as wire from "#shared/platform/http/wire-types.ts";

const conversationId = wire.uuid.meta({ description: "Id of the conversation" });

export const conversationPath = z.object({ cid: conversationId });
const conversationDomain = wire.domain.meta({
  description: "Domain of the conversation; only that of this service is supported",
});
export const qualifiedConversationPath = z.object({ domain: conversationDomain, cid: conversationId });
export const teamPath = z.object({ tid: wire.uuid.meta({ description: "Id of the team" }) });

/** Name of a role in a request, which `requestedRole` reads. */
export const roleName = z
  .string()
  .regex(/^[a-z0-9_]{2,128}$/)
  .meta({ id: "RoleName", description: "Name of one of the roles that members can have" });

/** Answer to requests that name users of other domains, which cannot be reached. */
export const unreachableBackends = z
  .object({
    unreachable_backends: z.array(z.string()).meta({ description: "Domains that cannot be reached" }),
  })
  .meta({ id: "UnreachableBackends" });
