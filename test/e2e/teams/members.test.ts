import { describe, expect, it } from "vitest";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { nextMessage } from "../../support/messages.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";
import { changePermissions, newTeam, removeMember, type Team } from "../../support/teams.ts";
import { logIn, newUser, type User } from "../../support/users.ts";

const idsOf = (members: readonly { user: string }[]) => members.map(({ user }) => user);
const list = (team: Team, { token }: Pick<User, "token">, query = "") =>
  api("GET", `/teams/${team.id}/members${query}`, { token });
const find = (team: Team, { token }: Pick<User, "token">, userIds: readonly string[], query = "") =>
  api("POST", `/teams/${team.id}/get-members-by-ids-using-post${query}`, {
    token,
    json: { user_ids: userIds },
  });

/** Permissions in the events about a member that a socket has received. */
const updatesOf = ({ frames }: TestSocket, { id }: User): number[] =>
  frames
    .flatMap(({ payload = [] }) => payload)
    .filter(({ type, data }) => type === "team.member-update" && data.user === id)
    .map(({ data }) => data.permissions.self);

describe.concurrent("a member of a team", () => {
  it("is shown to every member, with permissions only to those who may see them", async () => {
    const team = await newTeam();
    const [member, partner] = await Promise.all([team.add("member"), team.add("partner")]);
    const path = `/teams/${team.id}/members/${member.id}`;
    const view = {
      user: member.id,
      created_by: team.owner.id,
      created_at: expect.any(String),
      legalhold_status: "no_consent",
    };
    const permissions = { self: 1587, copy: 1587 };
    expect((await api("GET", path, { token: team.owner.token })).body).toEqual({ ...view, permissions });
    expect((await api("GET", path, { token: partner.token })).body).toEqual(view);
    const own = await api("GET", `/teams/${team.id}/members/${partner.id}`, { token: partner.token });
    expect(own.body.permissions).toEqual({ self: 1025, copy: 1025 });
  });

  it("is hidden from strangers", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const of = (id: string) => `/teams/${team.id}/members/${id}`;
    expect(outcome(await api("GET", of(team.owner.id), { token: stranger.token }))).toBe(
      "403 no-team-member",
    );
    expect(outcome(await api("GET", of(stranger.id), { token: team.owner.token }))).toBe(
      "404 no-team-member",
    );
  });

  it("leaves the team when the account is deleted, and admins and members are told", async () => {
    const team = await newTeam();
    const [leaving, admin, member] = await Promise.all([team.add(), team.add("admin"), team.add()]);
    const sockets = await Promise.all([admin, member].map(({ token }) => openSocket("/await", { token })));
    expect((await internalApi("DELETE", `/i/users/${leaving.id}`)).status).toBe(202);
    for (const socket of sockets) {
      const frame = await socket.next(({ payload }) => payload?.[0]?.type === "team.member-leave");
      expect(frame).toMatchObject({
        transient: true,
        payload: [{ team: team.id, data: { user: leaving.id }, time: expect.any(String) }],
      });
    }
    const { token } = team.owner;
    expect(outcome(await api("GET", `/teams/${team.id}/members/${leaving.id}`, { token }))).toBe(
      "404 no-team-member",
    );
  });

  it("cannot be deleted as the last owner", async () => {
    const team = await newTeam();
    const answer = await internalApi("DELETE", `/i/users/${team.owner.id}`);
    expect(outcome(answer)).toBe("403 no-self-delete-for-team-owner");
    expect((await api("GET", `/teams/${team.id}`, { token: team.owner.token })).status).toBe(200);
  });
});

describe.concurrent("the members of a team", () => {
  it("are listed page by page in the order of their ids, none of them twice", async () => {
    const team = await newTeam();
    const others = await Promise.all(Array.from({ length: 18 }, () => team.add()));
    const pages: { user: string }[][] = [];
    let query = "?maxResults=5";
    for (let hasMore = true; hasMore; ) {
      const { body } = await list(team, team.owner, query);
      pages.push(body.members);
      hasMore = body.hasMore;
      query = `?maxResults=5&pagingState=${body.pagingState}`;
    }
    expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 4]);
    expect(pages.flatMap(idsOf)).toEqual([team.owner, ...others].map(({ id }) => id).sort());
    expect((await list(team, team.owner, query)).body).toMatchObject({ members: [], hasMore: false });
  });

  it("are listed 2000 at a time unless the caller wants fewer, by an older path, too", async () => {
    const team = await newTeam();
    const member = await team.add();
    const { body } = await list(team, member);
    expect(idsOf(body.members)).toEqual([team.owner.id, member.id].sort());
    expect(body).toMatchObject({ hasMore: false, pagingState: expect.stringMatching(/^[\w-]+$/) });
    expect((await api("GET", `/team/${team.id}/members`, { token: member.token })).body).toEqual(body);
    const [first] = (await list(team, member, "?maxResults=1")).body.members;
    expect(first).toEqual(body.members[0]);
  });

  it("are shown to members with permissions, but to a partner only with the partner and the inviter", async () => {
    const team = await newTeam();
    const member = await team.add();
    const [partner] = await Promise.all([team.add("partner", { invitedBy: member.id }), team.add("admin")]);
    const all = (await list(team, member)).body.members;
    expect(all).toHaveLength(4);
    expect(all.every(({ permissions }: { permissions?: object }) => permissions !== undefined)).toBe(true);
    const { body } = await list(team, partner, "?maxResults=1");
    expect(idsOf(body.members)).toEqual([member.id, partner.id].sort());
    expect(body).toMatchObject({ hasMore: false, pagingState: expect.any(String) });
    const shown = body.members.filter(
      ({ permissions }: { permissions?: object }) => permissions !== undefined,
    );
    expect(idsOf(shown)).toEqual([partner.id]);
  });

  it("are found by their ids, leaving out users who are not members", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const member = await team.add();
    const { body } = await find(team, member, [team.owner.id, stranger.id, member.id, member.id]);
    expect(idsOf(body.members).sort()).toEqual([team.owner.id, member.id].sort());
    expect(body.hasMore).toBe(false);
    expect((await find(team, member, [])).body.members).toEqual([]);
  });

  it("cannot be found by too many ids, an error that even strangers get", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const three = [team.owner.id, stranger.id, crypto.randomUUID()];
    expect(outcome(await find(team, stranger, three, "?maxResults=2"))).toBe("400 too-many-uids");
    const many = Array.from({ length: 2001 }, () => crypto.randomUUID());
    expect(outcome(await find(team, stranger, many))).toBe("400 too-many-uids");
    expect(outcome(await find(team, stranger, many.slice(1)))).toBe("403 no-team-member");
    expect(outcome(await find(team, team.owner, many.slice(1)))).toBe("200");
    expect(outcome(await find(team, team.owner, ["x"]))).toBe("400 bad-request");
  });
});

describe.concurrent("the permissions of a member", () => {
  it("can be given only by members who have them and may pass them on", async () => {
    const team = await newTeam();
    const [admin, member, other] = await Promise.all([team.add("admin"), team.add(), team.add()]);
    const change = (actor: User, permissions: object) => changePermissions(team, actor, member, permissions);
    expect(outcome(await change(admin, permissionsOf("owner")))).toBe("403 invalid-permissions");
    expect(outcome(await change(other, permissionsOf("partner")))).toBe("403 operation-denied");
    expect(outcome(await change(await newUser(), permissionsOf("partner")))).toBe("403 no-team-member");
    expect(outcome(await change(admin, permissionsOf("admin")))).toBe("200");
    const { body } = await api("GET", `/teams/${team.id}/members/${member.id}`, { token: other.token });
    expect(body).toMatchObject({ permissions: permissionsOf("admin"), created_by: team.owner.id });
  });

  it("may have any bits, of which unknown ones are ignored", async () => {
    const team = await newTeam();
    const member = await team.add();
    const path = `/teams/${team.id}/members`;
    const headers = { "content-type": "application/json" };
    const all = 2n ** 64n - 1n;
    const body = `{"member":{"user":"${member.id}","permissions":{"self":${all},"copy":1025}}}`;
    expect((await api("PUT", path, { token: team.owner.token, headers, body })).status).toBe(200);
    const view = await api("GET", `${path}/${member.id}`, { token: member.token });
    expect(view.body.permissions).toEqual({ self: 8191, copy: 1025 });
    expect(outcome(await changePermissions(team, team.owner, member, { self: 0, copy: 0 }))).toBe("200");
  });

  it("belong to members only", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const answer = await changePermissions(team, team.owner, stranger, permissionsOf("member"));
    expect(outcome(answer)).toBe("404 no-team-member");
  });

  it("can be taken from an owner only by another owner", async () => {
    const team = await newTeam();
    const admin = await team.add("admin");
    const demote = (actor: User) => changePermissions(team, actor, team.owner, permissionsOf("member"));
    expect(outcome(await demote(team.owner))).toBe("403 access-denied");
    expect(outcome(await demote(admin))).toBe("403 access-denied");
    const second = await team.add("owner");
    expect(outcome(await demote(team.owner))).toBe("403 access-denied");
    expect(outcome(await demote(second))).toBe("200");
    expect(outcome(await demote(team.owner))).toBe("403 operation-denied");
  });

  it("can be given up by an admin", async () => {
    const team = await newTeam();
    const admin = await team.add("admin");
    expect(outcome(await changePermissions(team, admin, admin, permissionsOf("member")))).toBe("200");
    expect(outcome(await changePermissions(team, admin, admin, permissionsOf("admin")))).toBe(
      "403 operation-denied",
    );
  });

  it("are announced to admins, including the member while an admin", async () => {
    const team = await newTeam();
    const [admin, member, bystander] = await Promise.all([team.add("admin"), team.add(), team.add()]);
    const users = [admin, member, bystander, team.owner];
    const [ofAdmin, ofMember, ofBystander, ofOwner] = (await Promise.all(
      users.map(({ token }) => openSocket("/await", { token })),
    )) as [TestSocket, TestSocket, TestSocket, TestSocket];
    for (const role of ["admin", "member", "admin"] as const) {
      const heard = updatesOf(ofAdmin, member).length;
      expect(outcome(await changePermissions(team, team.owner, member, permissionsOf(role)))).toBe("200");
      await ofAdmin.until(() => updatesOf(ofAdmin, member).length > heard);
    }
    await ofMember.until(() => updatesOf(ofMember, member).length === 2);
    expect(updatesOf(ofAdmin, member)).toEqual([5951, 1587, 5951]);
    expect(updatesOf(ofMember, member)).toEqual([5951, 5951]);
    expect(ofBystander.frames).toEqual([]);
    // The connection that has made the change knows of it.
    expect(ofOwner.frames).toEqual([]);
    expect(ofMember.frames[0]).toMatchObject({
      transient: true,
      payload: [{ team: team.id, time: expect.any(String), data: { permissions: permissionsOf("admin") } }],
    });
  });
});

describe.concurrent("the removal of a member", () => {
  it("deletes the account, ending its sessions and freeing its address", async () => {
    const team = await newTeam();
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const sockets = await Promise.all([
      openSocket("/await", { token: admin.token }),
      openSocket("/await", { token: team.owner.token }),
    ]);
    const { status, body } = await removeMember(team, team.owner, member);
    expect({ status, body }).toEqual({ status: 202, body: "" });
    expect(outcome(await logIn(member))).toBe("403 invalid-credentials");
    expect(outcome(await api("POST", "/access", { cookie: member.cookie }))).toBe("403 invalid-credentials");
    expect((await newUser({ email: member.email })).id).not.toBe(member.id);
    const leaves = ({ payload }: { payload?: { type: string }[] }) =>
      payload?.[0]?.type === "team.member-leave";
    expect((await sockets[0].next(leaves)).payload[0].data).toEqual({ user: member.id });
    expect(outcome(await removeMember(team, team.owner, member))).toBe("404 no-team-member");
    const profile = await api("GET", `/users/${member.id}`, { token: admin.token });
    expect(profile.body).toMatchObject({ deleted: true });
  });

  it("requires the permission, and a member", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const [member, other] = await Promise.all([team.add(), team.add()]);
    expect(outcome(await removeMember(team, stranger, member))).toBe("403 no-team-member");
    expect(outcome(await removeMember(team, other, member))).toBe("403 operation-denied");
    expect(outcome(await removeMember(team, team.owner, stranger))).toBe("404 no-team-member");
    expect(outcome(await logIn(member))).toBe("200");
    expect(outcome(await logIn(stranger))).toBe("200");
  });

  it("of an owner is allowed only for another owner", async () => {
    const team = await newTeam();
    const [admin, otherAdmin] = await Promise.all([team.add("admin"), team.add("admin")]);
    expect(outcome(await removeMember(team, admin, team.owner))).toBe("403 access-denied");
    expect(outcome(await removeMember(team, team.owner, team.owner))).toBe("403 access-denied");
    const second = await team.add("owner");
    expect(outcome(await removeMember(team, team.owner, team.owner))).toBe("403 access-denied");
    expect(outcome(await removeMember(team, team.owner, second))).toBe("202");
    expect(outcome(await removeMember(team, admin, otherAdmin))).toBe("202");
    expect(outcome(await removeMember(team, admin, admin))).toBe("202");
    expect(idsOf((await list(team, team.owner)).body.members)).toEqual([team.owner.id]);
  });

  it("requires the acting user's password, and a body", async () => {
    const team = await newTeam();
    const [member, other] = await Promise.all([team.add(), team.add()]);
    const path = `/teams/${team.id}/members/${member.id}`;
    const attempt = async (version: string, { token }: User, request: object = {}) =>
      outcome(await api("DELETE", `/${version}${path}`, { token, ...request }));
    expect(await attempt("v4", team.owner)).toBe("400 bad-request");
    expect(await attempt("v3", team.owner)).toBe("400 invalid-payload");
    expect(await attempt("v9", other)).toBe("403 operation-denied");
    expect(await attempt("v9", team.owner, { json: {} })).toBe("403 access-denied");
    for (const password of ["wrong horse", "sho"])
      expect(await attempt("v9", team.owner, { json: { password } })).toBe("403 access-denied");
    expect(outcome(await logIn(member))).toBe("200");
    expect(await attempt("v3", team.owner, { json: { password: team.owner.password } })).toBe("202");
  });
});

describe.concurrent("an owner", () => {
  it("cannot delete their own account, with or without another owner", async () => {
    const team = await newTeam();
    const remove = async () => {
      const { token, password } = team.owner;
      return outcome(await api("DELETE", "/self", { token, json: { password } }));
    };
    expect(await remove()).toBe("403 no-self-delete-for-team-owner");
    await team.add("owner");
    expect(await remove()).toBe("403 no-self-delete-for-team-owner");
    expect((await api("GET", `/teams/${team.id}`, { token: team.owner.token })).status).toBe(200);
  });
});

describe.concurrent("a member who becomes an owner", () => {
  it("cannot delete the account with an earlier code, with or without another owner", async () => {
    const team = await newTeam();
    const member = await team.add();
    expect((await api("DELETE", "/self", { token: member.token, json: {} })).status).toBe(202);
    const { headers } = await nextMessage(member.email, { purpose: "Delete" });
    const json = { key: headers["X-Svc-Key"], code: headers["X-Svc-Code"] };
    expect(outcome(await changePermissions(team, team.owner, member, permissionsOf("owner")))).toBe("200");
    expect(outcome(await api("POST", "/delete", { json }))).toBe("403 no-self-delete-for-team-owner");
    expect(outcome(await changePermissions(team, team.owner, member, permissionsOf("member")))).toBe("200");
    expect(outcome(await api("POST", "/delete", { json }))).toBe("200");
  });
});

describe.concurrent("a user of old clients", () => {
  it("cannot be added to a team directly", async () => {
    const [team, user] = await Promise.all([newTeam(), newUser()]);
    const [member, admin] = await Promise.all([team.add(), team.add("admin")]);
    const add = async ({ token }: User, role: "owner" | "member", version = "v3") =>
      outcome(
        await api("POST", `/${version}/teams/${team.id}/members`, {
          token,
          json: { member: { user: user.id, permissions: permissionsOf(role) } },
        }),
      );
    expect(await add(user, "member")).toBe("403 no-team-member");
    expect(await add(member, "member")).toBe("403 operation-denied");
    expect(await add(admin, "owner")).toBe("403 invalid-permissions");
    expect(await add(admin, "member")).toBe("403 binding-team");
    expect(await add(admin, "member", "v4")).toBe("404 no-endpoint");
    expect((await list(team, admin)).body.members).toHaveLength(3);
  });
});
