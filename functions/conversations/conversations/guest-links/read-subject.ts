import type { Conversation } from "#shared/conversations/conversation.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { type GuestLink, guestLinkKey } from "#shared/conversations/guest-link.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { defaultFeature, effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { Feature } from "#shared/teams/features/feature.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Deps } from "../deps.ts";

const featureName = "conversationGuestLinks";
export type GuestLinksFeature = Feature<typeof featureName>;

/** The data that decide a user's rights to the guest link of a conversation. */
export interface LinkSubject {
  readonly conversation: Conversation;
  /** Undefined without a link. */
  readonly link: GuestLink | undefined;
  /** The user as a member of the conversation. */
  readonly self: ConversationMember | undefined;
  /** The user as a member of the team that owns the conversation. */
  readonly teamMember: Member | undefined;
  /** The feature of the team that owns the conversation. */
  readonly feature: GuestLinksFeature;
}

interface Reader {
  readonly userId: string;
  readonly conversationId: string;
}

/**
 * Read a conversation for a request about its guest link.
 * @throws ApiError `no-conversation`
 */
export async function readSubject(deps: Deps, { userId, conversationId }: Reader): Promise<LinkSubject> {
  const [conversation, self, link] = await Promise.all([
    deps.conversations.get(conversationId),
    deps.conversations.getMember({ conversationId, userId }),
    deps.guestLinks.get(guestLinkKey(conversationId)),
  ]);
  if (conversation === undefined) throw new ApiError("no-conversation");
  return { conversation, link, self, ...(await readTeam(deps, conversation, userId)) };
}

/**
 * Read a conversation, with all members, for a change of its guest link.
 * @throws ApiError `no-conversation`
 */
export async function readSubjectForChange(
  deps: Deps,
  { userId, conversationId }: Reader,
): Promise<LinkSubject & PopulatedConversation> {
  const [found, link] = await Promise.all([
    deps.conversations.getPopulated(conversationId),
    deps.guestLinks.get(guestLinkKey(conversationId)),
  ]);
  if (found === undefined) throw new ApiError("no-conversation");
  return {
    ...found,
    link,
    self: found.members.find((member) => member.userId === userId),
    ...(await readTeam(deps, found.conversation, userId)),
  };
}

async function readTeam(
  { features, settings, teams }: Deps,
  { teamId }: Pick<Conversation, "teamId">,
  userId: string,
): Promise<Pick<LinkSubject, "teamMember" | "feature">> {
  if (teamId === undefined) return { teamMember: undefined, feature: defaultFeature(featureName, settings) };
  const [teamMember, ofTeam] = await Promise.all([teams.getMember({ teamId, userId }), features.get(teamId)]);
  return { teamMember, feature: effectiveFeature(featureName, ofTeam, settings) };
}

/** Read the feature of the team that owns a conversation; without a team, the server's default. */
export const readFeature = async (
  { features, settings }: { readonly features: FeatureStore; readonly settings: Settings },
  { teamId }: Pick<Conversation, "teamId">,
): Promise<GuestLinksFeature> =>
  teamId === undefined
    ? defaultFeature(featureName, settings)
    : effectiveFeature(featureName, await features.get(teamId), settings);
