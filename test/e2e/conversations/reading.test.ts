import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newGroupId } from "#shared/conversations/group-id.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation } from "../../support/conversations.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

type Id = { readonly id: string };
type Caller = Pick<User, "token">;

const versions = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const qualified = ({ id }: Id, domain = localDomain) => `${domain}/${id}`;
const get = (version: number, path: string, { token }: Caller) =>
  api("GET", `/v${version}/conversations/${path}`, { token });

const groupAt = (epoch: number) => ({
  groupId: newGroupId({ conversationId: randomUUID(), type: "regular", domain: localDomain }),
  epoch,
  ...(epoch > 0 && { epochChangedAt: Date.UTC(2026, 0, 31, 10, 15, 30), cipherSuite: 2 }),
});

describe.concurrent("GET /conversations/{domain}/{cid}", () => {
  it("shows a group to its members, each member's own entry apart", async () => {
    const team = await newTeam();
    const [ada, ben] = await Promise.all([newUser(), newUser()]);
    const conversation = await newConversation([ada, ben], {
      team,
      name: "Engines",
      roles: { [ben.id]: "member" },
      messageTimer: 60_000,
      receiptMode: 1,
    });
    const { status, body } = await get(9, qualified(conversation), ben);
    expect(status).toBe(200);
    const idsOf = ({ id }: Id) => ({ id, qualified_id: { domain: localDomain, id } });
    expect(body).toEqual({
      ...idsOf(conversation),
      type: 0,
      creator: ada.id,
      access: ["invite"],
      access_role: ["team_member", "non_team_member", "service"],
      name: "Engines",
      last_event: "0.0",
      last_event_time: "1970-01-01T00:00:00.000Z",
      team: team.id,
      message_timer: 60_000,
      receipt_mode: 1,
      group_conv_type: "group_conversation",
      add_permission: null,
      cells_state: "disabled",
      protocol: "proteus",
      members: {
        self: {
          ...idsOf(ben),
          conversation_role: "svc_member",
          service: null,
          status: 0,
          status_ref: "0.0",
          status_time: "1970-01-01T00:00:00.000Z",
          otr_muted_status: null,
          otr_muted_ref: null,
          otr_archived: false,
          otr_archived_ref: null,
          hidden: false,
          hidden_ref: null,
        },
        others: [{ ...idsOf(ada), conversation_role: "svc_admin", status: 0 }],
      },
    });
  });

  it("shows access roles as a string and an array below version 3, and as an array from then on", async () => {
    const user = await newUser();
    const conversation = await newConversation([user], { accessRoles: ["team_member", "service"] });
    for (const version of versions) {
      const { body } = await get(version, qualified(conversation), user);
      const { access_role, access_role_v2 } = body;
      expect({ access_role, access_role_v2 }).toEqual(
        version < 3
          ? { access_role: "activated", access_role_v2: ["team_member", "service"] }
          : { access_role: ["team_member", "service"] },
      );
    }
  });

  it("shows the time and suite of epoch 0 up to version 5 only", async () => {
    const user = await newUser();
    const [unused, used] = await Promise.all(
      [0, 3].map((epoch) => newConversation([user], { protocol: "mls", group: groupAt(epoch) })),
    );
    for (const version of versions) {
      const answers = await Promise.all(
        [unused, used].map((group) => get(version, qualified(group as Id), user)),
      );
      const [first, later] = answers.map(({ body: { epoch, epoch_timestamp, cipher_suite, group_id } }) => ({
        epoch,
        epoch_timestamp,
        cipher_suite,
        group_id,
      }));
      const atZero = version < 6 ? { epoch_timestamp: null, cipher_suite: 1 } : {};
      expect(first).toEqual({ epoch: 0, group_id: expect.any(String), ...atZero });
      expect(later).toMatchObject({ epoch: 3, epoch_timestamp: "2026-01-31T10:15:30Z", cipher_suite: 2 });
    }
  });

  it("returns different errors for users outside it and for unknown conversations", async () => {
    const [member, stranger, team] = await Promise.all([newUser(), newUser(), newTeam()]);
    const [group, ofTeam] = await Promise.all([
      newConversation([member]),
      newConversation([member], { team, groupType: "channel", protocol: "mls", group: groupAt(0) }),
    ]);
    for (const version of [0, 5, 9]) {
      expect(outcome(await get(version, qualified(group), stranger))).toBe("403 access-denied");
      expect(outcome(await get(version, qualified(ofTeam), team.owner))).toBe("403 access-denied");
      expect(outcome(await get(version, qualified({ id: randomUUID() }), member))).toBe(
        "404 no-conversation",
      );
      expect(outcome(await get(version, qualified(group, "elsewhere.example"), member))).toBe(
        "404 no-conversation",
      );
      expect(outcome(await get(version, `${localDomain}/group`, member))).toBe("400 bad-request");
    }
    expect(outcome(await api("GET", `/conversations/${qualified(group)}`))).toBe("401 unauthorized");
  });

  it("compares ids and domains ignoring case", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    const { status } = await get(9, qualified({ id: id.toUpperCase() }, localDomain.toUpperCase()), user);
    expect(status).toBe(200);
  });
});

describe.concurrent("GET /conversations/{cid}", () => {
  it("exists in all versions, also with a trailing slash", async () => {
    const [user, stranger] = await Promise.all([newUser(), newUser()]);
    const conversation = await newConversation([user], { protocol: "mls", group: groupAt(0) });
    const { id } = conversation;
    for (const version of versions) {
      const { body } = await get(version, qualified(conversation), user);
      for (const path of [id, `${id}/`]) {
        expect(await get(version, path, user)).toMatchObject({ status: 200, body });
        expect((await get(version, path, user)).body).toEqual(body);
        expect(outcome(await get(version, path, stranger))).toBe("403 access-denied");
      }
      expect(outcome(await get(version, randomUUID(), user))).toBe("404 no-conversation");
    }
    expect(
      (await api("GET", `/conversations/${id}/`, { token: user.token })).body.access_role_v2,
    ).toBeDefined();
  });

  it("has an older alias below version 2", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    const alias = (version: number) =>
      api("GET", `/v${version}/legalhold/conversations/${id}`, { token: user.token });
    for (const version of [0, 1]) {
      const { body } = await get(version, id, user);
      expect(await alias(version)).toMatchObject({ status: 200, body });
    }
    expect((await alias(2)).status).toBe(404);
  });
});

describe.concurrent("GET /conversations/{domain}/{cid}/self", () => {
  it("shows the caller's own membership, or null", async () => {
    const [member, stranger] = await Promise.all([newUser(), newUser()]);
    const conversation = await newConversation([member]);
    const self = (await get(9, qualified(conversation), member)).body.members.self;
    const paths = [
      [9, `${qualified(conversation)}/self`],
      [8, `${qualified(conversation)}/self`],
      [7, `${conversation.id}/self`],
      [0, `${conversation.id}/self`],
    ] as const;
    for (const [version, path] of paths) {
      expect((await get(version, path, member)).body).toEqual(self);
      expect(await get(version, path, stranger)).toMatchObject({ status: 200, body: null });
    }
    const unknown = `${qualified({ id: randomUUID() })}/self`;
    expect(await get(9, unknown, member)).toMatchObject({ status: 200, body: null });
    const elsewhere = `${qualified(conversation, "elsewhere.example")}/self`;
    expect(outcome(await get(9, elsewhere, member))).toBe("404 no-conversation");
  });
});

describe.concurrent("a deleted conversation", () => {
  it("is unknown immediately, even while parts of it are still stored", async () => {
    const [member, other] = await Promise.all([newUser(), newUser()]);
    const conversation = await newConversation([member, other], { isDeleted: true });
    const { id } = conversation;
    const { token } = member;
    expect(outcome(await get(9, qualified(conversation), member))).toBe("404 no-conversation");
    expect(outcome(await get(9, id, member))).toBe("404 no-conversation");
    expect(await get(9, `${qualified(conversation)}/self`, member)).toMatchObject({ body: null });
    const qualified_ids = [{ domain: localDomain, id }];
    const { body } = await api("POST", "/v9/conversations/list", { token, json: { qualified_ids } });
    expect(body).toEqual({ found: [], not_found: qualified_ids, failed: [] });
    expect((await get(9, `?ids=${id}`, member)).body).toEqual({ conversations: [], has_more: false });
    for (const path of [id, `${id}/meta`]) {
      expect(outcome(await internalApi("GET", `/i/conversations/${path}`))).toBe("404 no-conversation");
    }
    const path = `/i/conversations/${qualified(conversation)}/members/${member.id}`;
    expect(await internalApi("GET", path)).toMatchObject({ status: 200, body: null });
  });
});

describe.concurrent("GET /i/conversations", () => {
  it("returns a conversation, with and without its members, and one member", async () => {
    const [member, other, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    const conversation = await newConversation([member, other], { name: "Engines" });
    const { members, ...fields } = (await get(9, qualified(conversation), member)).body;
    const { body } = await internalApi("GET", `/i/conversations/${conversation.id}`);
    expect(body).toMatchObject(fields);
    expect(body.members.others.map(({ id }: Id) => id)).toEqual([member.id, other.id].sort());
    const metadata = await internalApi("GET", `/i/conversations/${conversation.id}/meta`);
    expect(metadata).toMatchObject({ status: 200 });
    expect(metadata.body).toEqual(fields);

    const getMember = ({ id }: Id, domain = localDomain) =>
      internalApi("GET", `/i/conversations/${qualified(conversation, domain)}/members/${id}`);
    expect((await getMember(member)).body).toEqual(members.self);
    expect(await getMember(stranger)).toMatchObject({ status: 200, body: null });
    expect(outcome(await getMember(member, "elsewhere.example"))).toBe("404 no-conversation");
    for (const path of ["", "/meta"]) {
      const unknown = await internalApi("GET", `/i/conversations/${randomUUID()}${path}`);
      expect(outcome(unknown)).toBe("404 no-conversation");
    }
  });
});
