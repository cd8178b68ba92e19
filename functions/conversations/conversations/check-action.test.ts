import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Conversation } from "#shared/conversations/conversation.ts";
import {
  type ConversationAction,
  type ConversationRole,
  conversationAction,
} from "#shared/conversations/conversation-roles.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { permissionsOf, type Role } from "#shared/teams/permissions.ts";
import { checkAction } from "./check-action.ts";

const userId = randomUUID();
const conversationId = randomUUID();
const teamId = randomUUID();

const group = {
  conversationId,
  revision: 1,
  type: "regular",
  groupType: "group_conversation",
  protocol: "proteus",
  access: ["invite"],
  accessRoles: ["team_member", "non_team_member", "service"],
  cellsState: "disabled",
  memberCount: 1,
  createdAt: 0,
  changedAt: 0,
} as const satisfies Partial<Conversation>;
const mlsGroup = { ...group, protocol: "mls" } as const;
const channel = { ...mlsGroup, groupType: "channel", teamId, addPermission: "admins" } as const;

/** The outcome for a user in a role: `ok`, or the label of the refusal. */
function outcomeOf(
  action: ConversationAction,
  conversation: object,
  { role, teamRole }: { role?: ConversationRole; teamRole?: Role } = {},
): string {
  const self = role && { conversationId, userId, role };
  const teamMember = teamRole && {
    teamId,
    userId,
    permissions: permissionsOf(teamRole),
    legalHoldStatus: "disabled" as const,
  };
  const subject = {
    conversation: { ...group, ...conversation } as Conversation,
    members: [],
    self,
    teamMember,
  };
  try {
    checkAction(subject, action);
    return "ok";
  } catch (error) {
    if (error instanceof ApiError) return error.label;
    throw error;
  }
}

/** The outcome of each action. */
const outcomes = (...of: [conversation: object, who?: { role?: ConversationRole; teamRole?: Role }]) =>
  Object.fromEntries(conversationAction.options.map((action) => [action, outcomeOf(action, ...of)]));
const all = (outcome: string) =>
  Object.fromEntries(conversationAction.options.map((action) => [action, outcome]));

describe("the rules that all changes share", () => {
  it("let admins do everything in groups, and members only leave", () => {
    expect(outcomes(group, { role: "admin" })).toEqual(all("ok"));
    expect(outcomes(group, { role: "member" })).toEqual({
      ...all("action-denied"),
      leave_conversation: "ok",
    });
    expect(outcomes({ ...group, protocol: "mixed" }, { role: "admin" })).toEqual(all("ok"));
  });

  it("hide a conversation from strangers, and from team mates who are not in it", () => {
    expect(outcomes(group)).toEqual(all("no-conversation"));
    for (const teamRole of ["owner", "admin", "member", "partner"] as const) {
      expect(outcomes({ ...group, teamId }, { teamRole })).toEqual(all("no-conversation"));
    }
  });

  it("leave changes of members in MLS groups to commits, even for admins", () => {
    const byCommit = { add_conversation_member: "invalid-op", remove_conversation_member: "invalid-op" };
    expect(outcomes(mlsGroup, { role: "admin" })).toEqual({ ...all("ok"), ...byCommit });
    expect(outcomes(mlsGroup, { role: "member" })).toEqual({
      ...all("action-denied"),
      leave_conversation: "ok",
      ...byCommit,
    });
    expect(outcomes(mlsGroup)).toEqual({ ...all("no-conversation"), ...byCommit });
  });

  it.each(["self", "connection"] as const)("allow no changes of conversations of type %s", (type) => {
    expect(outcomes({ type }, { role: "admin" })).toEqual(all("invalid-op"));
    expect(outcomes({ type })).toEqual(all("no-conversation"));
  });

  it("let one-to-one conversations be renamed and nothing else", () => {
    const type = "one-to-one";
    expect(outcomes({ type }, { role: "admin" })).toEqual({
      ...all("invalid-op"),
      modify_conversation_name: "ok",
    });
    expect(outcomes({ type })).toEqual(all("no-conversation"));
    expect(outcomes({ type, teamId }, { teamRole: "owner" })).toEqual({
      ...all("invalid-op"),
      modify_conversation_name: "no-conversation",
    });
  });

  it("check the role before the type", () => {
    expect(outcomeOf("modify_conversation_name", { type: "self" }, { role: "member" })).toBe("action-denied");
  });

  it.each(["owner", "admin"] as const)("let an %s of the team administer its channels", (teamRole) => {
    expect(outcomes(channel, { teamRole })).toEqual({
      ...all("no-conversation"),
      add_conversation_member: "ok",
      remove_conversation_member: "ok",
      modify_conversation_name: "ok",
    });
    expect(outcomes(channel, { teamRole, role: "member" })).toEqual({
      ...all("ok"),
      modify_conversation_receipt_mode: "action-denied",
    });
    expect(
      outcomes({ ...channel, groupType: "group_conversation" }, { teamRole, role: "member" }),
    ).toMatchObject({
      modify_conversation_name: "action-denied",
    });
  });

  it("hide channels from everybody else who wants to remove a member, even from admins of the conversation", () => {
    const remove = (who: { role?: ConversationRole; teamRole?: Role }) =>
      outcomeOf("remove_conversation_member", channel, who);
    expect(remove({ role: "admin", teamRole: "member" })).toBe("no-conversation");
    expect(remove({ role: "admin" })).toBe("no-conversation");
    expect(remove({ role: "member", teamRole: "member" })).toBe("no-conversation");
    expect(remove({})).toBe("no-conversation");
  });

  it("let team members in an open channel add others", () => {
    const add = (addPermission: string, who: { role?: ConversationRole; teamRole?: Role }) =>
      outcomeOf("add_conversation_member", { ...channel, addPermission }, who);
    expect(add("everyone", { role: "member", teamRole: "member" })).toBe("ok");
    expect(add("everyone", { role: "member", teamRole: "partner" })).toBe("ok");
    expect(add("everyone", { role: "member" })).toBe("action-denied");
    expect(add("everyone", { teamRole: "member" })).toBe("no-conversation");
    expect(add("admins", { role: "member", teamRole: "member" })).toBe("action-denied");
  });
});
