import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { openSocket } from "../../support/socket.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const update = (teamId: string, { token }: User, json: unknown) =>
  api("PUT", `/teams/${teamId}`, { token, json });

describe.concurrent("a team", () => {
  it("is shown only to its members", async () => {
    const [team, other, stranger] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const partner = await team.add("partner");
    const view = {
      id: team.id,
      creator: team.owner.id,
      name: team.name,
      icon: "default",
      icon_key: null,
      splash_screen: "default",
      binding: true,
    };
    const get = ({ token }: User) => api("GET", `/teams/${team.id}`, { token });
    expect((await get(partner)).body).toEqual(view);
    for (const user of [stranger, other.owner]) expect(outcome(await get(user))).toBe("404 no-team");
    const { token } = stranger;
    expect(outcome(await api("GET", `/teams/${randomUUID()}`, { token }))).toBe("404 no-team");
    expect(outcome(await api("GET", "/teams/none", { token }))).toBe("400 bad-request");
  });

  it("is changed by admins, and other admins are told, but not ordinary members", async () => {
    const team = await newTeam();
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const sockets = await Promise.all(
      [team.owner, admin, member].map(({ token }) => openSocket("/await", { token })),
    );
    const [ofOwner, ofAdmin, ofMember] = sockets;
    expect((await update(team.id, admin, { name: "Looms", icon: null })).status).toBe(200);
    const isUpdate = ({ payload }: { payload?: { type: string }[] }) => payload?.[0]?.type === "team.update";
    const event = {
      transient: true,
      payload: [{ type: "team.update", team: team.id, time: expect.any(String), data: { name: "Looms" } }],
    };
    expect(await ofOwner?.next(isUpdate)).toMatchObject(event);
    // Sent to both together, so it would have arrived.
    expect((await update(team.id, team.owner, { splash_screen: "default" })).status).toBe(200);
    expect(
      await ofAdmin?.next(({ payload }) => payload?.[0]?.data?.splash_screen === "default"),
    ).toBeDefined();
    expect(ofAdmin?.frames.filter(isUpdate).length).toBeGreaterThan(0);
    expect(ofMember?.frames.filter(isUpdate)).toEqual([]);
    const { body } = await api("GET", `/teams/${team.id}`, { token: member.token });
    expect(body).toMatchObject({ name: "Looms", icon: "default", icon_key: null });
  });

  it("keeps fields that are null, and resets pictures with `default`", async () => {
    const team = await newTeam();
    const icon = `3-1-${randomUUID()}`;
    const fields = { icon, icon_key: "key", splash_screen: icon };
    expect((await update(team.id, team.owner, fields)).status).toBe(200);
    expect((await update(team.id, team.owner, { icon: "default", splash_screen: null })).status).toBe(200);
    const { body } = await api("GET", `/teams/${team.id}`, { token: team.owner.token });
    expect(body).toMatchObject({ name: team.name, icon: "default", icon_key: "key", splash_screen: icon });
  });

  it("is not changed by members without the permission, or by strangers", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const members = await Promise.all([team.add("member"), team.add("partner")]);
    for (const member of members) {
      expect(outcome(await update(team.id, member, { name: "Mine" }))).toBe("403 operation-denied");
    }
    expect(outcome(await update(team.id, other.owner, { name: "Mine" }))).toBe("403 no-team-member");
    expect(outcome(await update(randomUUID(), other.owner, { name: "Mine" }))).toBe("403 no-team-member");
  });

  it("shows its size to those who may add members", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const size = ({ token }: User) => api("GET", `/teams/${team.id}/size`, { token });
    expect((await size(admin)).body).toEqual({ teamSize: 3 });
    for (const user of [member, stranger]) {
      expect(outcome(await size(user))).toBe("403 insufficient-permissions");
    }
    expect((await internalApi("DELETE", `/i/users/${member.id}`)).status).toBe(202);
    expect((await size(admin)).body).toEqual({ teamSize: 2 });
  });

  it("is shown to the operator, with its status, name and size", async () => {
    const team = await newTeam();
    const { body } = await internalApi("GET", `/i/teams/${team.id}`);
    expect(body).toMatchObject({ team: { id: team.id }, status: "active", status_time: expect.any(String) });
    expect((await internalApi("GET", `/i/teams/${team.id}/name`)).body).toEqual({ name: team.name });
    expect((await internalApi("GET", `/i/teams/${team.id}/size`)).body).toEqual({ teamSize: 1 });
    expect((await internalApi("GET", `/i/users/${team.owner.id}/team`)).body).toBe(team.id);
    const stranger = await newUser();
    for (const path of ["", "/name", "/size"]) {
      expect(outcome(await internalApi("GET", `/i/teams/${randomUUID()}${path}`))).toBe("404 no-team");
    }
    for (const id of [stranger.id, randomUUID()]) {
      expect(outcome(await internalApi("GET", `/i/users/${id}/team`))).toBe("404 no-team");
    }
  });
});
