import { describe, expect, it } from "vitest";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { openSocket } from "../../support/socket.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const members = (team: Pick<Team, "id">) => `/i/teams/${team.id}/members`;
const join = (team: Pick<Team, "id">, { id }: Pick<User, "id">, fields: object = {}) =>
  internalApi("POST", members(team), {
    json: { member: { user: id, permissions: permissionsOf("member"), ...fields } },
  });
const update = (team: Pick<Team, "id">, { id }: Pick<User, "id">, permissions: object) =>
  internalApi("PUT", members(team), { json: { member: { user: id, permissions } } });
const idsOf = (list: readonly { user: string }[]) => list.map(({ user }) => user).sort();
const noTeam = { id: crypto.randomUUID() };

describe.concurrent("internal callers", () => {
  it("add existing accounts to a team, and tell the user and admins", async () => {
    const [team, user] = await Promise.all([newTeam(), newUser()]);
    const sockets = await Promise.all([user, team.owner].map(({ token }) => openSocket("/await", { token })));
    const created_at = "2026-01-02T03:04:05.678Z";
    expect(outcome(await join(team, user, { created_by: team.owner.id, created_at }))).toBe("200");
    for (const socket of sockets)
      await socket.next(({ payload }) => payload?.[0]?.type === "team.member-join");
    await sockets[0]?.next(({ payload }) => payload?.[0]?.user?.team === team.id);
    const view = await api("GET", `/teams/${team.id}/members/${user.id}`, { token: user.token });
    expect(view.body).toMatchObject({ created_by: team.owner.id, created_at });
    expect((await api("GET", "/self", { token: user.token })).body.team).toBe(team.id);
    expect(outcome(await join(team, user))).toBe("200");
  });

  it("add nobody who cannot join", async () => {
    const [team, other, user] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const gone = await newUser();
    await internalApi("DELETE", `/i/users/${gone.id}`);
    expect(outcome(await join(noTeam, user))).toBe("404 no-team");
    expect(outcome(await join(team, gone))).toBe("404 not-found");
    expect(outcome(await join(team, noTeam))).toBe("404 not-found");
    expect(outcome(await join(team, other.owner))).toBe("403 user-already-in-a-team");
    expect(outcome(await join(team, team.owner))).toBe("403 user-already-in-a-team");
    expect(outcome(await join(team, user, { permissions: { self: 0, copy: 1 } }))).toBe("400 bad-request");
    expect(outcome(await join(team, user, { created_by: team.owner.id }))).toBe("400 bad-request");
  });

  it("give any permissions, as long as an owner remains", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const member = await team.add("partner");
    expect(outcome(await update(team, team.owner, permissionsOf("member")))).toBe("403 access-denied");
    expect(outcome(await update(team, member, permissionsOf("owner")))).toBe("200");
    expect(outcome(await update(team, team.owner, permissionsOf("member")))).toBe("200");
    expect(outcome(await update(team, stranger, permissionsOf("member")))).toBe("404 no-team-member");
    expect(outcome(await update(noTeam, member, permissionsOf("member")))).toBe("404 no-team");
  });

  it("see members with their permissions", async () => {
    const [team, person] = await Promise.all([newTeam(), newUser()]);
    const [admin, partner] = await Promise.all([team.add("admin"), team.add("partner")]);
    const everybody = [team.owner, admin, partner].map(({ id }) => id).sort();
    const get = async (path: string, request = {}) => (await internalApi("GET", path, request)).body;

    const all = await get(members(team));
    expect(idsOf(all.members)).toEqual(everybody);
    expect(all.hasMore).toBe(false);
    expect(await get(`${members(team)}?maxResults=2`)).toMatchObject({
      members: all.members.slice(0, 2),
      hasMore: true,
    });
    const { members: listed, hasMore } = all;
    expect(await get(`/i/users/${partner.id}/team/members`)).toEqual({ members: listed, hasMore });
    expect(outcome(await internalApi("GET", `/i/users/${person.id}/team/members`))).toBe("404 no-team");

    const one = await get(`${members(team)}/${partner.id}`);
    expect(one).toMatchObject({ user: partner.id, permissions: permissionsOf("partner") });
    expect(outcome(await internalApi("GET", `${members(team)}/${person.id}`))).toBe("404 no-team-member");
    expect(idsOf((await get(`${members(team)}/admins`)).members)).toEqual([team.owner.id, admin.id].sort());

    const ids = [admin.id, person.id, partner.id];
    const found = await internalApi("POST", `${members(team)}/get-by-ids`, { json: { user_ids: ids } });
    expect(idsOf(found.body)).toEqual([admin.id, partner.id].sort());
  });

  it("see by ids when members got their permissions", async () => {
    const team = await newTeam();
    const member = await team.add();
    const infoOf = async (method: string) => {
      const path = `${members(team)}/by-ids`;
      const { body } = await internalApi(method, path, { json: { ids: [member.id, noTeam.id] } });
      return body.members;
    };
    const before = await infoOf("POST");
    expect(before).toEqual([
      { userId: member.id, permissions: permissionsOf("member"), permissionsWriteTime: expect.any(Number) },
    ]);
    const changedAfter = Date.now();
    await update(team, member, permissionsOf("admin"));
    const [after] = await infoOf("GET");
    expect(after.permissions).toEqual(permissionsOf("admin"));
    expect(after.permissionsWriteTime).toBeGreaterThanOrEqual(changedAfter);
  });

  it("learn which members are owners", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const admin = await team.add("admin");
    const check = async ({ id }: Pick<User, "id">) =>
      outcome(await internalApi("GET", `/i/teams/${team.id}/is-team-owner/${id}`));
    expect(await check(team.owner)).toBe("200");
    expect(await check(admin)).toBe("403 access-denied");
    expect(await check(stranger)).toBe("403 no-team-member");
  });

  it("learn whether a team has room", async () => {
    const team = await newTeam();
    expect(outcome(await internalApi("GET", `${members(team)}/check`))).toBe("200");
    expect(outcome(await internalApi("GET", `${members(noTeam)}/check`))).toBe("404 no-team");
  });
});
