import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { openSocket } from "../../support/socket.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

describe.concurrent("a member of a team", () => {
  it("is shown to every member, with permissions to those who may see them", async () => {
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

  it("leaves the team with the account, which admins and members are told of", async () => {
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
