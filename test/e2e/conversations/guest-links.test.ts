import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import {
  type Caller,
  checkLink,
  conversationEventsOf,
  createLink,
  getLink,
  isMember,
  joinByLink,
  linkPassword,
  newLink,
  openToGuests,
  type Place,
  previewByLink,
  removeLink,
  switchGuestLinks,
  told,
} from "../../support/guest-links.ts";
import { newAuthorization } from "../../support/oauth.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

const status = ({ id }: Place, { token }: Caller) =>
  api("GET", `/conversations/${id}/features/conversationGuestLinks`, { token });
const outcomes = (answers: readonly ApiAnswer[]) => answers.map(outcome).sort();

describe.concurrent("creating a guest link", () => {
  it("answers with the event that all members get", async () => {
    const [admin, member, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    const place = await newConversation([admin, member], {
      ...openToGuests,
      roles: { [member.id]: "member" },
    });
    const { status: created, body } = await createLink(place, admin);

    const { key, code } = body.data;
    expect(created).toBe(201);
    expect(body).toMatchObject({
      type: "conversation.code-update",
      conversation: place.id,
      qualified_conversation: { id: place.id, domain: "parley.localhost" },
      from: admin.id,
      data: {
        key: expect.stringMatching(/^[\w-]{20}$/),
        code: expect.stringMatching(/^[\w-]{20}$/),
        uri: expect.stringMatching(new RegExp(`^http.*/conversation-join/\\?key=${key}&code=${code}$`)),
        has_password: false,
      },
    });
    for (const one of [admin, member]) {
      expect(await told(one, "code-update", 1)).toEqual([body]);
      expect(await getLink(place, one)).toMatchObject({ status: 200, body: body.data });
    }
    expect(await conversationEventsOf(stranger, "code-update")).toEqual([]);
  });

  it("returns the existing link without a password, and a conflict with one", async () => {
    const admin = await newUser();
    const { id, ...link } = await newLink([admin]);
    expect(await createLink({ id }, admin)).toMatchObject({
      status: 200,
      body: { ...link, has_password: false },
    });
    expect(outcome(await createLink({ id }, admin, { password: linkPassword }))).toBe(
      "409 create-conv-code-conflict",
    );

    const protectedLink = await newLink([admin], { request: { password: linkPassword } });
    expect(outcome(await createLink(protectedLink, admin))).toBe("409 create-conv-code-conflict");
    expect((await getLink(protectedLink, admin)).body).toMatchObject({
      code: protectedLink.code,
      has_password: true,
    });
  });

  it("creates one link when repeated concurrently", async () => {
    const [admin, other] = await Promise.all([newUser(), newUser()]);
    const place = await newConversation([admin, other], openToGuests);
    const answers = await Promise.all(
      [admin, other, admin, other, admin, other].map((one) => createLink(place, one)),
    );
    expect(outcomes(answers)).toEqual(["200", "200", "200", "200", "200", "201"]);
    const codes = answers.map(({ body }) => body.data?.code ?? body.code);
    expect(new Set(codes)).toEqual(new Set([(await getLink(place, admin)).body.code]));
    await told(other, "code-update", 1);
  });

  it("accepts passwords of 8 to 1024 characters", async () => {
    const admin = await newUser();
    const place = await newConversation([admin], openToGuests);
    for (const wrong of ["1234567", "x".repeat(1025), 12345678])
      expect(outcome(await createLink(place, admin, { password: wrong }))).toBe("400 bad-request");
    const longest = "x".repeat(1024);
    const { body } = await createLink(place, admin, { password: longest });
    expect(outcome(await joinByLink(body.data, await newUser(), { password: longest }))).toBe("200");
    await newLink([admin], { request: { password: "12345678" } });
  });

  it("returns a body from version 4 on, and accepts no password before", async () => {
    const admin = await newUser();
    const place = await newConversation([admin], openToGuests);
    const bare = (version: string) =>
      api("POST", `${version}/conversations/${place.id}/code`, { token: admin.token });
    expect(outcome(await bare("/v4"))).toBe("400 bad-request");
    expect(outcome(await bare("/v3"))).toBe("201");
    expect(outcome(await bare("/v0"))).toBe("200");
    expect(outcome(await createLink(place, admin, { password: linkPassword }, "/v3"))).toBe("200");
    expect(outcome(await createLink(place, admin, { password: linkPassword }, "/v4"))).toBe(
      "409 create-conv-code-conflict",
    );
  });

  it("is reserved for admins of conversations that admit guests", async () => {
    const [team, otherTeam, admin, member, stranger] = await Promise.all([
      newTeam(),
      newTeam(),
      newUser(),
      newUser(),
      newUser(),
    ]);
    const mate = await team.add("admin");
    const roles = { [member.id]: "member" } as const;
    const members = [admin, member, team.owner];
    const group = await newConversation([admin, member], { ...openToGuests, roles });
    const ofTeam = await newConversation(members, { ...openToGuests, roles, team });
    for (const change of [createLink, removeLink]) {
      expect(outcome(await change({ id: randomUUID() }, admin))).toBe("404 no-conversation");
      for (const place of [group, ofTeam]) {
        for (const one of [stranger, otherTeam.owner, mate])
          expect(outcome(await change(place, one))).toBe("404 no-conversation");
        expect(outcome(await change(place, member))).toBe("403 access-denied");
      }
      const closed = await newConversation([admin], { access: ["invite", "link"] });
      expect(outcome(await change(closed, admin))).toBe("403 access-denied");
      const internal = await newConversation([admin], {
        ...openToGuests,
        accessRoles: ["team_member", "service"],
      });
      expect(outcome(await change(internal, admin))).toBe("403 access-denied");
    }
    const forGuests = await newConversation([admin], { ...openToGuests, accessRoles: ["guest"] });
    expect(outcome(await createLink(forGuests, admin))).toBe("201");
  });

  it("is allowed in a channel for an admin of its team who is not in it", async () => {
    const [team, otherTeam] = await Promise.all([newTeam(), newTeam()]);
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const channel = await newConversation([], {
      ...openToGuests,
      team,
      groupType: "channel",
      protocol: "mls",
    });
    for (const one of [member, otherTeam.owner]) {
      for (const call of [createLink, removeLink, status])
        expect(outcome(await call(channel, one))).toBe("404 no-conversation");
    }
    expect(outcome(await createLink(channel, admin))).toBe("201");
    expect(outcome(await status(channel, admin))).toBe("200");
    expect(outcome(await getLink(channel, admin))).toBe("404 no-conversation");
    expect(outcome(await removeLink(channel, team.owner))).toBe("200");
  });

  it("is open to apps with its scope, unlike all other operations on links", async () => {
    const [allowed, other] = await Promise.all([
      newAuthorization({ scope: "write:conversations_code" }),
      newAuthorization({ scope: "write:conversations" }),
    ]);
    const app = { token: allowed.tokens.access_token };
    const place = await newConversation([allowed.user, other.user], openToGuests);
    expect((await createLink(place, { token: other.tokens.access_token })).status).toBe(403);
    const created = await createLink(place, app);
    expect(outcome(created)).toBe("201");
    const link = created.body.data;
    for (const call of [getLink, removeLink, status]) expect((await call(place, app)).status).toBe(403);
    for (const call of [joinByLink, previewByLink]) expect((await call(link, app)).status).toBe(403);
  });
});

describe.concurrent("the guest link of a conversation", () => {
  it("is shown only to members, while the conversation admits guests by code", async () => {
    const [admin, member, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    const roles = { [member.id]: "member" } as const;
    const place = await newConversation([admin, member], { ...openToGuests, roles });
    expect(outcome(await getLink(place, member))).toBe("404 no-conversation-code");
    await createLink(place, admin);
    expect(outcome(await getLink(place, member))).toBe("200");
    expect(outcome(await getLink(place, stranger))).toBe("404 no-conversation");
    expect(outcome(await getLink({ id: randomUUID() }, admin))).toBe("404 no-conversation");
    const closed = await newConversation([admin]);
    for (const one of [admin, stranger])
      expect(outcome(await getLink(closed, one))).toBe("403 access-denied");
  });

  it("admits nobody once it is removed, and members are told", async () => {
    const [admin, member, guest] = await Promise.all([newUser(), newUser(), newUser()]);
    const link = await newLink([admin, member]);
    const removed = await removeLink(link, admin);
    expect(removed).toMatchObject({
      status: 200,
      body: { type: "conversation.code-delete", conversation: link.id, from: admin.id, data: null },
    });
    const later = [
      await joinByLink(link, guest),
      await previewByLink(link, guest),
      await checkLink(link),
      await getLink(link, admin),
    ];
    expect(outcomes(later)).toEqual(Array(4).fill("404 no-conversation-code"));
    for (const one of [admin, member]) {
      expect(await told(one, "code-delete", 1)).toEqual([removed.body]);
    }

    const next = (await createLink(link, admin)).body.data;
    expect(next.key).toBe(link.key);
    expect(next.code).not.toBe(link.code);
    expect(outcome(await joinByLink(link, guest))).toBe("404 no-conversation-code");
    expect(outcome(await joinByLink(next, guest))).toBe("200");
  });

  it("is removed with an event even if it does not exist", async () => {
    const admin = await newUser();
    const place = await newConversation([admin], openToGuests);
    expect((await removeLink(place, admin)).body).toMatchObject({
      type: "conversation.code-delete",
      data: null,
    });
    expect(outcome(await removeLink(place, admin))).toBe("200");
  });

  it("is deleted with the conversation, even if somebody uses it meanwhile", async () => {
    const team = await newTeam();
    const guests = await Promise.all(Array.from({ length: 6 }, () => newUser()));
    const link = await newLink([team.owner], { team });
    const answers = await Promise.all([
      ...guests.slice(0, 3).map((guest) => joinByLink(link, guest)),
      api("DELETE", `/teams/${team.id}/conversations/${link.id}`, team.owner),
      ...guests.slice(3).map((guest) => joinByLink(link, guest)),
    ]);
    expect(answers[3]?.status).toBe(200);
    for (const answer of answers)
      expect(["200", "404 no-conversation", "404 no-conversation-code"]).toContain(outcome(answer));
    for (const call of [joinByLink, previewByLink])
      expect(outcome(await call(link, team.owner))).toBe("404 no-conversation-code");
    const { store } = conversationData();
    await eventually(async () => {
      for (const { id } of guests) expect(await store.listOfUser(id, { limit: 1 })).toEqual([]);
    });
  });

  it("is removed when the conversation stops admitting guests by code, and does not come back", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    const setAccess = (access: readonly string[]) =>
      api("PUT", `/v8/conversations/${localDomain}/${link.id}/access`, {
        token: admin.token,
        json: { access, access_role: ["team_member", "non_team_member", "guest"] },
      });
    expect(outcome(await setAccess(["invite", "code"]))).toBe("200");
    expect(outcome(await checkLink(link))).toBe("200");
    const [joined, closed] = await Promise.all([joinByLink(link, guest), setAccess(["invite"])]);
    expect(outcome(closed)).toBe("200");
    expect(["200", "403 access-denied", "404 no-conversation-code"]).toContain(outcome(joined));
    expect(await isMember(link, guest)).toBe(joined.status === 200);

    for (const call of [joinByLink, previewByLink])
      expect(outcome(await call(link, admin))).toBe("404 no-conversation-code");
    expect(outcome(await getLink(link, admin))).toBe("403 access-denied");
    await setAccess(["invite", "code"]);
    expect(outcome(await getLink(link, admin))).toBe("404 no-conversation-code");
    expect(await conversationEventsOf(admin, "code-delete")).toEqual([]);
    expect(outcome(await createLink(link, admin))).toBe("201");
  });

  it("is unknown when the conversation is gone", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    const { store } = conversationData();
    const found = await store.get(link.id);
    if (found === undefined) throw new Error("No conversation");
    await transact(createDynamo(), store.bury(found).writes);
    for (const call of [getLink, removeLink, status, createLink])
      expect(outcome(await call(link, admin))).toBe("404 no-conversation");
    for (const call of [joinByLink, previewByLink])
      expect(outcome(await call(link, guest))).toBe("404 no-conversation");
    expect(outcome(await checkLink(link))).toBe("404 no-conversation-code");
  });

  it("does not work while the team has the feature switched off", async () => {
    const [team, guest] = await Promise.all([newTeam(), newUser()]);
    const member = await team.add();
    const link = await newLink([team.owner, member], { team, roles: { [member.id]: "member" } });
    expect((await status(link, team.owner)).body).toEqual({
      status: "enabled",
      lockStatus: "unlocked",
      ttl: "unlimited",
    });

    await switchGuestLinks(team, "disabled");
    expect((await status(link, team.owner)).body.status).toBe("disabled");
    const disabled = "409 guest-links-disabled";
    expect(outcome(await createLink(link, team.owner))).toBe(disabled);
    expect(outcome(await getLink(link, member))).toBe(disabled);
    for (const call of [joinByLink, previewByLink]) expect(outcome(await call(link, guest))).toBe(disabled);
    expect(outcome(await checkLink(link))).toBe("404 no-conversation-code");
    // The feature is checked first, so strangers learn no more than that.
    expect(outcome(await createLink(link, guest))).toBe(disabled);

    await switchGuestLinks(team, "enabled");
    expect(outcome(await checkLink(link))).toBe("200");
    expect((await getLink(link, member)).body.code).toBe(link.code);
    expect(outcome(await joinByLink(link, guest))).toBe("200");
    await switchGuestLinks(team, "disabled");
    expect(outcome(await removeLink(link, team.owner))).toBe("200");
  });

  it("has a status that admins of the conversation may read", async () => {
    const [admin, member, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    const place = await newConversation([admin, member], { roles: { [member.id]: "member" } });
    expect((await status(place, admin)).body).toMatchObject({ status: "enabled" });
    expect(outcome(await status(place, member))).toBe("403 access-denied");
    expect(outcome(await status(place, stranger))).toBe("404 no-conversation");
    expect(outcome(await status({ id: randomUUID() }, admin))).toBe("404 no-conversation");
  });
});
