import * as z from "zod";
import * as wire from "#shared/platform/http/wire-types.ts";

const conversationId = wire.uuid.meta({ description: "Id of the conversation" });

export const conversationPath = z.object({ cid: conversationId });
export const qualifiedConversationPath = z.object({ domain: wire.domain, cid: conversationId });
export const teamPath = z.object({ tid: wire.uuid.meta({ description: "Id of the team" }) });
