import type { SeedApi } from "./seed-api.ts";
import type { SeededPerson, SeededTeam } from "./seed-team.ts";

/** A conversation of the seeded team. */
export interface SeededConversation {
  readonly name: string;
  readonly id: string;
  readonly domain: string;
  /** Members other than the team's owner, including bots. */
  readonly others: readonly { readonly id: string; readonly service?: object }[];
}

/** A channel, which speaks MLS: members join when the first device has created its group. */
export async function seedChannel(api: SeedApi, team: SeededTeam): Promise<SeededConversation> {
  await api.operate("PUT", `/i/teams/${team.id}/features/channels/unlocked`);
  await api.operate("PUT", `/i/teams/${team.id}/features/channels`, {
    status: "enabled",
    config: { allowed_to_create_channels: "team-members", allowed_to_open_channels: "team-members" },
  });
  return findOrCreate(api, team, "general", { protocol: "mls", group_conv_type: "channel" });
}

/** A group with everybody in the team, which bots may join. */
export function seedGroup(api: SeedApi, team: SeededTeam): Promise<SeededConversation> {
  const [, ...others] = team.people;
  return findOrCreate(api, team, "Engine room", {
    protocol: "proteus",
    access_role: ["team_member", "non_team_member", "guest", "service"],
    qualified_users: others.map(({ id, domain }) => ({ id, domain })),
  });
}

async function findOrCreate(
  api: SeedApi,
  { id: teamid, people: [{ token }] }: SeededTeam,
  name: string,
  fields: object,
): Promise<SeededConversation> {
  const found = await conversationsOf(api, { token });
  const json = { name, qualified_users: [], team: { teamid }, ...fields };
  const conversation =
    found.find((one) => one.name === name) ??
    (await api.call("POST", "/conversations", { token, json })).body;
  return { name, ...conversation.qualified_id, others: conversation.members.others };
}

interface ConversationView {
  readonly name?: string;
  readonly qualified_id: object;
  readonly members: { readonly others: SeededConversation["others"] };
}

/** The conversations of the seeded owner, who has few. */
async function conversationsOf(
  api: SeedApi,
  { token }: Pick<SeededPerson, "token">,
): Promise<ConversationView[]> {
  const { body: ids } = await api.call("POST", "/conversations/list-ids", { token, json: { size: 500 } });
  if (ids.qualified_conversations.length === 0) return [];
  const json = { qualified_ids: ids.qualified_conversations };
  return (await api.call("POST", "/conversations/list", { token, json })).body.found;
}
