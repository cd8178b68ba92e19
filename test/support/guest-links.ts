import { expect } from "vitest";
import { api, internalApi } from "./api.ts";
import { conversationData, newConversation } from "./conversations.ts";
import { storedEvents } from "./events.ts";
import { eventually } from "./eventually.ts";
import type { Team } from "./teams.ts";
import type { User } from "./users.ts";

export type Caller = Pick<User, "token">;

export type Place = { id: string };

export type Link = { key: string; code: string };

/** Access and roles of a conversation that has guest links. */
export const openToGuests = { access: ["invite", "code"] as ("invite" | "code")[] };

export const linkPassword = "correct horse battery";

/** Create the guest link of a conversation. */
export const createLink = ({ id }: Place, { token }: Caller, json: object = {}, version = "/v8") =>
  api("POST", `${version}/conversations/${id}/code`, { token, json });

/** Get the guest link of a conversation. */
export const getLink = ({ id }: Place, { token }: Caller) =>
  api("GET", `/conversations/${id}/code`, { token });

/** Remove the guest link of a conversation. */
export const removeLink = ({ id }: Place, { token }: Caller) =>
  api("DELETE", `/conversations/${id}/code`, { token });

/** Join a conversation by its guest link. */
export const joinByLink = ({ key, code }: Link, { token }: Caller, more: object = {}) =>
  api("POST", "/conversations/join", { token, json: { key, code, ...more } });

/** Look at a conversation by its guest link. */
export const previewByLink = ({ key, code }: Link, { token }: Caller) =>
  api("GET", `/conversations/join?${new URLSearchParams({ key, code })}`, { token });

/** Check a guest link without an account. */
export const checkLink = ({ key, code }: Link) =>
  api("POST", "/conversations/code-check", { json: { key, code } });

/** Switch guest links of a team on or off, as the operator. */
export const switchGuestLinks = async ({ id }: Pick<Team, "id">, word: "enabled" | "disabled") => {
  const path = `/i/teams/${id}/features/conversationGuestLinks`;
  expect((await internalApi("PATCH", path, { json: { status: word } })).status).toBe(200);
};

/** Create a conversation with a guest link. */
export async function newLink(
  members: readonly [User, ...User[]],
  { request = {}, ...fields }: Parameters<typeof newConversation>[1] & { request?: object } = {},
) {
  const place = await newConversation(members, { ...openToGuests, ...fields });
  const { status: created, body } = await createLink(place, members[0], request);
  expect(created).toBe(201);
  return { ...place, ...(body.data as Link & { uri: string }) };
}

/** Whether a user is in a conversation. */
export const isMember = async ({ id }: Place, { id: userId }: Pick<User, "id">) =>
  (await conversationData().store.getMember({ conversationId: id, userId })) !== undefined;

/** Events of conversations that a user has got. */
export const conversationEventsOf = ({ token }: Caller, type: string) =>
  storedEvents(token, `conversation.${type}`);

/** Events of a type that a user has got, once there are this many. */
export const told = (caller: Caller, type: string, count = 1) =>
  eventually(async () => {
    const events = await conversationEventsOf(caller, type);
    expect(events).toHaveLength(count);
    return events;
  });
