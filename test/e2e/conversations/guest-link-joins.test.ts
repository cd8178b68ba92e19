import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { accountEditor } from "../../support/accounts.ts";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import {
  checkLink,
  conversationEventsOf,
  createLink,
  getLink,
  isMember,
  joinByLink,
  linkPassword,
  newLink,
  openToGuests,
  previewByLink,
  removeLink,
  switchGuestLinks,
  told,
} from "../../support/guest-links.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, register, type User } from "../../support/users.ts";

/** Create an anonymous user. */
async function newGuest(): Promise<User> {
  const { body, cookie = "" } = await register({});
  const renewed = await api("POST", "/access", { cookie });
  return { id: body.id, email: "", password: "", cookie, token: renewed.body.access_token };
}
const outcomes = (answers: readonly ApiAnswer[]) => answers.map(outcome).sort();

describe.concurrent("joining by a guest link", () => {
  it("makes the user a member with few rights, and tells everybody", async () => {
    const [admin, member, guest] = await Promise.all([newUser(), newUser(), newUser()]);
    const link = await newLink([admin, member], { name: "Engines" });
    const joined = await joinByLink(link, guest);
    expect(joined).toMatchObject({
      status: 200,
      body: {
        type: "conversation.member-join",
        conversation: link.id,
        from: guest.id,
        data: {
          users: [{ id: guest.id, conversation_role: "svc_member" }],
          user_ids: [guest.id],
          add_type: "internal_add",
        },
      },
    });
    for (const one of [admin, member, guest]) {
      expect(await told(one, "member-join", 1)).toEqual([joined.body]);
    }
    expect(await isMember(link, guest)).toBe(true);
    for (const one of [guest, admin]) expect(outcome(await joinByLink(link, one))).toBe("204");
    expect(outcome(await createLink(link, guest))).toBe("403 access-denied");
    expect(outcome(await getLink(link, guest))).toBe("200");
    expect(await conversationEventsOf(admin, "member-join")).toHaveLength(1);
  });

  it("needs the password of the link", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin], { request: { password: linkPassword } });
    expect((await previewByLink(link, guest)).body).toEqual({ id: link.id, has_password: true });
    expect(outcome(await checkLink(link))).toBe("200");
    expect(outcome(await joinByLink(link, guest))).toBe("403 invalid-conversation-password");
    const wrong = { password: "not the password" };
    expect(outcome(await joinByLink(link, guest, wrong))).toBe("403 invalid-conversation-password");
    expect(outcome(await joinByLink(link, guest, { password: "short" }))).toBe(
      "403 invalid-conversation-password",
    );
    expect(
      outcome(await joinByLink({ ...link, code: randomUUID() }, guest, { password: linkPassword })),
    ).toBe("404 no-conversation-code");
    expect(await isMember(link, guest)).toBe(false);
    const joined = await joinByLink(link, guest, { password: linkPassword });
    expect(joined.body.data.users).toMatchObject([{ conversation_role: "svc_member" }]);
    expect(outcome(await joinByLink(link, guest, { password: linkPassword }))).toBe("204");
    expect(outcome(await joinByLink(link, guest, wrong))).toBe("403 invalid-conversation-password");
  });

  it("ignores a password if the link has none", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    expect(outcome(await joinByLink(link, guest, { password: linkPassword, uri: link.uri }))).toBe("200");
  });

  it("is refused in the same way for unknown, foreign and altered links", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const [link, other] = await Promise.all([newLink([admin]), newLink([admin])]);
    const empty = await newConversation([admin], openToGuests);
    const forged = [
      { key: link.key, code: other.code },
      { key: other.key, code: link.code },
      { key: link.key, code: link.code.toLowerCase() === link.code ? "x" : link.code.toLowerCase() },
      { key: link.key, code: `${link.code}A` },
      { key: link.code, code: link.key },
      { key: "x", code: link.code },
      { key: empty.id, code: link.code },
      { key: link.id, code: link.code },
    ];
    for (const presented of forged) {
      const answers = [
        await joinByLink(presented, guest),
        await previewByLink(presented, guest),
        await checkLink(presented),
      ];
      expect(outcomes(answers)).toEqual(Array(3).fill("404 no-conversation-code"));
      expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
    }
    expect(await isMember(link, guest)).toBe(false);
  });

  it("accepts only letters, digits, - and _, of limited length", async () => {
    const guest = await newUser();
    const right = { key: "key", code: "code" };
    const wrong = ["", " ", "a b", "é", "a/b", "#", "x".repeat(65), "\u0000"];
    for (const text of wrong) {
      for (const presented of [
        { ...right, key: text },
        { ...right, code: text },
      ]) {
        const answers = [
          await joinByLink(presented, guest),
          await previewByLink(presented, guest),
          await checkLink(presented),
        ];
        expect(outcomes(answers)).toEqual(Array(3).fill("400 bad-request"));
      }
    }
    for (const json of [{}, { key: "key" }, { code: "code" }, { key: 1, code: 2 }, [], "text", null]) {
      expect(outcome(await api("POST", "/conversations/join", { token: guest.token, json }))).toBe(
        "400 bad-request",
      );
      expect(outcome(await api("POST", "/conversations/code-check", { json }))).toBe("400 bad-request");
    }
    expect(outcome(await api("GET", "/conversations/join?key=key", guest))).toBe("400 bad-request");
    expect((await api("POST", "/conversations/join", { json: right })).status).toBe(401);
  });

  it("depends on the present access and access roles of the conversation", async () => {
    const [team, admin, user, guest] = await Promise.all([newTeam(), newUser(), newUser(), newGuest()]);
    const mate = await team.add();
    const link = await newLink([admin], { team });
    const { store } = conversationData();
    const set = async (fields: Parameters<typeof store.change>[1]["fields"]) => {
      const found = await store.get(link.id);
      if (found === undefined) throw new Error("No conversation");
      await transact(createDynamo(), store.change(found, { fields: { ...fields } }).writes);
    };
    const tryAll = async () => {
      const shown = await Promise.all([mate, user, guest].map((one) => previewByLink(link, one)));
      const joined = await Promise.all([mate, user, guest].map((one) => joinByLink(link, one)));
      expect(joined.map(outcome)).toEqual(shown.map(outcome));
      return joined.map(outcome);
    };
    await set({ access: ["invite", "link"] });
    expect(await tryAll()).toEqual(Array(3).fill("403 access-denied"));
    await set({ access: ["code"], accessRoles: [] });
    expect(await tryAll()).toEqual(Array(3).fill("403 access-denied"));
    await set({ accessRoles: ["service"] });
    expect(await tryAll()).toEqual(
      ["403 access-denied", "403 no-team-member", "403 no-team-member"].with(0, "200"),
    );
  });

  it("admits anonymous users to conversations that are open to guests", async () => {
    const [admin, guest] = await Promise.all([newUser(), newGuest()]);
    const [link, closed] = await Promise.all([
      newLink([admin], { accessRoles: ["non_team_member", "guest"] }),
      newLink([admin], { accessRoles: ["non_team_member"] }),
    ]);
    for (const call of [joinByLink, previewByLink])
      expect(outcome(await call(closed, guest))).toBe("403 access-denied");
    expect(outcome(await joinByLink(link, guest))).toBe("200");
  });

  it("is possible only in groups, including MLS groups", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const mls = await newLink([admin], { protocol: "mls", group: { groupId: "AAAA", epoch: 0 } });
    expect(outcome(await joinByLink(mls, guest))).toBe("200");
    for (const type of ["one-to-one", "connection", "self"] as const)
      expect(outcome(await joinByLink(await newLink([admin], { type }), guest))).toBe("403 invalid-op");
  });

  it("is possible again for a user who has left", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    await joinByLink(link, guest);
    const { store } = conversationData();
    const found = await store.get(link.id);
    if (found === undefined) throw new Error("No conversation");
    const leaving = [{ conversationId: link.id, userId: guest.id }];
    await transact(createDynamo(), store.change(found, { leaving }).writes);
    expect(outcome(await joinByLink(link, guest))).toBe("200");
  });

  it("is refused to a deleted account", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    await accountEditor().change(guest, { status: "deleted" });
    for (const call of [joinByLink, previewByLink])
      expect(outcome(await call(link, guest))).toBe("403 access-denied");
    expect(await isMember(link, guest)).toBe(false);
  });

  it("is either complete before a concurrent removal of the link, or refused", async () => {
    const admin = await newUser();
    const guests = await Promise.all(Array.from({ length: 8 }, () => newUser()));
    const link = await newLink([admin]);
    const joining = guests.slice(0, 4).map((guest) => joinByLink(link, guest));
    const removal = removeLink(link, admin);
    const answers = await Promise.all([
      ...joining,
      ...guests.slice(4).map((guest) => joinByLink(link, guest)),
    ]);
    const { body } = await removal;
    const joined = answers.filter(({ status: result }) => result === 200);
    expect(outcomes(answers.filter((one) => !joined.includes(one)))).toEqual(
      Array(8 - joined.length).fill("404 no-conversation-code"),
    );
    for (const { body: event } of joined) expect(event.time < body.time).toBe(true);
    const inside = await Promise.all(guests.map((guest) => isMember(link, guest)));
    expect(inside).toEqual(answers.map((one) => joined.includes(one)));
  });

  it("succeeds for a dozen concurrent users, who are announced one after the other", async () => {
    const admin = await newUser();
    const guests = await Promise.all(Array.from({ length: 12 }, () => newUser()));
    const link = await newLink([admin]);
    const answers = await Promise.all(guests.map((guest) => joinByLink(link, guest)));
    expect(outcomes(answers)).toEqual(Array(12).fill("200"));
    const events = await told(admin, "member-join", 12);
    const times = events.map(({ time }) => String(time));
    expect(times).toEqual([...new Set(times)].sort());
  });
});

describe.concurrent("the preview of a conversation", () => {
  it("shows its name to those who could join, and does not let them in", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin], { name: "Engines" });
    const { body } = await previewByLink(link, guest);
    expect(body).toEqual({ id: link.id, name: "Engines", has_password: false });
    expect(await isMember(link, guest)).toBe(false);
    expect((await previewByLink(link, admin)).status).toBe(200);
  });

  it("reports refused access before it reports that the feature is off", async () => {
    const [team, user] = await Promise.all([newTeam(), newUser()]);
    const link = await newLink([team.owner], { team, accessRoles: ["team_member", "guest"] });
    await switchGuestLinks(team, "disabled");
    expect(outcome(await previewByLink(link, user))).toBe("403 no-team-member");
    expect(outcome(await joinByLink(link, user))).toBe("409 guest-links-disabled");
  });
});
