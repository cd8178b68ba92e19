import * as z from "zod";
import { defineEvent, type EventSpec } from "#shared/events/event.ts";
import { eventNameOf } from "#shared/platform/http/openapi-components.ts";
import { domain, qualifiedId, utcTime, uuid } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Conversation } from "../conversation.ts";

/** A conversation and its domain (published schema `Qualified_ConvId`). */
export const qualifiedConversationId = z
  .object({ domain, id: uuid.meta({ description: "Id of a conversation" }) })
  .meta({
    id: "QualifiedConversationId",
    description: "A conversation and the domain of its id",
  });

const envelope = z.object({
  conversation: z.uuid(),
  qualified_conversation: qualifiedConversationId,
  subconv: z.string().optional().meta({ description: "Id of the subconversation, in events of its group" }),
  from: z.uuid().meta({ description: "Id of the user who caused it" }),
  qualified_from: qualifiedId,
  time: utcTime,
  via: z.enum(["user", "scim"]).meta({ id: "EventVia", description: "`scim`: provisioning caused it" }),
  team: z.uuid().optional().meta({ description: "Team that owns the conversation" }),
});

/**
 * Declares a conversation event by its data; all share one envelope. It wakes devices, unless `isPushed` says otherwise
 * for its data.
 */
export const defineConversationEvent = <Data extends z.ZodType>({
  data,
  isPushed = () => true,
  ...spec
}: Pick<EventSpec, "type" | "summary"> &
  Partial<Omit<EventSpec, "isPushed">> & {
    readonly data: Data;
    readonly isPushed?: (data: z.output<Data>) => boolean;
  }) =>
  defineEvent({
    recipients: "conversation-members",
    ...spec,
    schema: envelope.extend({ data }),
    isPushed: (content) => isPushed((content as { readonly data: z.output<Data> }).data),
  });

/**
 * The envelope of an event of a conversation.
 * @param cause.isChange whether the conversation or its membership changes; the envelope then names the team
 * @param cause.time unix milliseconds
 */
export function envelopeOf(
  {
    conversationId,
    subconversationId,
    teamId,
  }: Pick<Conversation, "conversationId" | "teamId"> & { readonly subconversationId?: string },
  { from, time, isChange = true }: { from: string; time: number; isChange?: boolean },
  { domain: local }: Pick<Settings, "domain">,
): z.input<typeof envelope> {
  return {
    conversation: conversationId,
    qualified_conversation: { domain: local, id: conversationId },
    ...(subconversationId !== undefined && { subconv: subconversationId }),
    from,
    qualified_from: { domain: local, id: from },
    time: new Date(time).toISOString(),
    via: "user",
    ...(isChange && teamId !== undefined && { team: teamId }),
  };
}

/** An event as the answer to the request that caused it. The API document shows it as the event. */
export const eventView = <Schema extends z.ZodObject>({ type, schema }: EventSpec<Schema>) =>
  z
    .object({ type: z.literal(type), ...schema.shape } as { type: z.ZodLiteral<string> } & Schema["shape"])
    .meta({ shownAs: eventNameOf(type) });
