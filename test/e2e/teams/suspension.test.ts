import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { accept, invite, newInvitation } from "../../support/invitations.ts";
import { openSocket } from "../../support/socket.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { logIn, newUser, type User } from "../../support/users.ts";

type Target = Pick<Team, "id">;
const suspend = ({ id }: Target) => internalApi("POST", `/i/teams/${id}/suspend`);
const unsuspend = ({ id }: Target) => internalApi("POST", `/i/teams/${id}/unsuspend`);
const putStatus = ({ id }: Target, status: string) =>
  internalApi("PUT", `/i/teams/${id}/status`, { json: { status } });
const statusOf = async ({ id }: Target) => (await internalApi("GET", `/i/teams/${id}`)).body.status;
const putUserStatus = ({ id }: Pick<User, "id">, status: string) =>
  internalApi("PUT", `/i/users/${id}/status`, { json: { status } });
const userStatus = async ({ id }: Pick<User, "id">) =>
  (await internalApi("GET", `/i/users/${id}/status`)).body.status;

describe.concurrent("suspending a team", () => {
  it("suspends its members: logins fail, cookies are revoked, sockets close", async () => {
    const team = await newTeam();
    const members = [team.owner, await team.add(), await team.add("partner")];
    const socket = await openSocket("/await", { token: team.owner.token });
    expect((await suspend(team)).status).toBe(200);
    expect(await statusOf(team)).toBe("suspended");
    for (const member of members) {
      expect(outcome(await logIn(member))).toBe("403 suspended");
      expect((await api("POST", "/access", { cookie: member.cookie })).status).toBe(403);
    }
    await socket.closed;
  });

  it("removes pending invitations, and admits nobody", async () => {
    const [team, user] = await Promise.all([newTeam(), newUser()]);
    const pending = await newInvitation(team, { email: user.email, allow_existing: true });
    await suspend(team);
    expect(outcome(await api("GET", `/teams/invitations/info?code=${pending.code}`))).toBe(
      "400 invalid-invitation-code",
    );
    expect(outcome(await accept(user, pending.code))).toBe("400 invalid-invitation-code");
    // The owner's access token is valid until it expires.
    expect([403, 404]).toContain((await invite(team)).status);
    await expect(team.add()).rejects.toThrow(team.id);
    await unsuspend(team);
    expect(outcome(await accept(user, pending.code))).toBe("400 invalid-invitation-code");
  });

  it("is undone by unsuspending: members can log in, but their old cookies stay revoked", async () => {
    const team = await newTeam();
    const member = await team.add();
    await suspend(team);
    expect((await unsuspend(team)).status).toBe(200);
    expect(await statusOf(team)).toBe("active");
    expect((await logIn(member)).status).toBe(200);
    expect((await api("POST", "/access", { cookie: member.cookie })).status).toBe(403);
    expect((await team.add()).id).toEqual(expect.any(String));
  });

  it("may be repeated, and so may unsuspending", async () => {
    const team = await newTeam();
    for (const [change, status] of [
      [suspend, "suspended"],
      [suspend, "suspended"],
      [unsuspend, "active"],
      [unsuspend, "active"],
    ] as const) {
      expect((await change(team)).status).toBe(200);
      expect(await userStatus(team.owner)).toBe(status);
    }
  });

  it("keeps members suspended who were suspended individually, before or since", async () => {
    const team = await newTeam();
    const [before, since, resumed] = await Promise.all([team.add(), team.add(), team.add()]);
    await putUserStatus(before, "suspended");
    await suspend(team);
    await putUserStatus(since, "suspended");
    expect((await putUserStatus(resumed, "active")).status).toBe(200);
    expect((await logIn(resumed)).status).toBe(200);
    await unsuspend(team);
    expect(await userStatus(team.owner)).toBe("active");
    expect(await userStatus(before)).toBe("suspended");
    expect(await userStatus(since)).toBe("suspended");
  });

  it("reaches the members of large teams, too", async () => {
    const team = await newTeam();
    const members: User[] = [];
    // One after another, because each changes the counts of the team.
    for (let count = 0; count < 105; count++) members.push(await team.add());
    const path = `/i/users?ids=${members.map(({ id }) => id).join(",")}`;
    const statuses = async () => {
      const { body } = await internalApi("GET", path);
      return new Set(body.map(({ status }: { status: string }) => status));
    };
    await suspend(team);
    await eventually(async () => expect(await statuses()).toEqual(new Set(["suspended"])));
    await unsuspend(team);
    await eventually(async () => expect(await statuses()).toEqual(new Set(["active"])));
  });

  it("leaves members in the state of the last of many concurrent changes", async () => {
    const team = await newTeam();
    const member = await team.add();
    const answers = await Promise.all([suspend(team), unsuspend(team), suspend(team), unsuspend(team)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await eventually(async () => {
      const status = await statusOf(team);
      expect(await Promise.all([userStatus(team.owner), userStatus(member)])).toEqual([status, status]);
    });
  });

  it("leaves members no session if they log in meanwhile", async () => {
    const team = await newTeam();
    const members = await Promise.all(Array.from({ length: 5 }, () => team.add()));
    const [, ...logins] = await Promise.all([suspend(team), ...members.map((member) => logIn(member))]);
    for (const { cookie, status } of logins) {
      if (status !== 200) continue;
      await eventually(async () => {
        expect((await api("POST", "/access", { cookie })).status).toBe(403);
      });
    }
  });

  it("is possible only for existing teams that have been activated and are not being deleted", async () => {
    const unknown = { id: randomUUID() };
    const founder = await newUser();
    const pending = { id: randomUUID() };
    await internalApi("PUT", `/i/teams/${pending.id}`, {
      headers: { "Z-User": founder.id },
      json: { name: "Engines", icon: "default" },
    });
    for (const change of [suspend, unsuspend]) {
      expect(outcome(await change(unknown))).toBe("404 not-found");
      expect(outcome(await change(pending))).toBe("403 invalid-team-status-update");
    }
    expect(outcome(await putStatus(unknown, "active"))).toBe("404 no-team");
    await internalApi("DELETE", `/i/teams/${pending.id}`);
    await eventually(async () => expect(await statusOf(pending)).toBe("deleted"));
    expect(outcome(await suspend(pending))).toBe("404 not-found");
  });
});

describe.concurrent("the status of a team", () => {
  it("changes between active and suspended, and from pending to active", async () => {
    const team = await newTeam();
    const member = await team.add();
    expect((await putStatus(team, "active")).status).toBe(200);
    expect((await putStatus(team, "suspended")).status).toBe(200);
    expect(await userStatus(member)).toBe("suspended");
    expect((await putStatus(team, "suspended")).status).toBe(200);
    expect((await putStatus(team, "active")).status).toBe(200);
    expect(await userStatus(member)).toBe("active");
  });

  it.each(["pending_active", "pending_delete", "deleted"])("does not change to %s", async (status) => {
    const team = await newTeam();
    expect(outcome(await putStatus(team, status))).toBe("403 invalid-team-status-update");
    expect(await statusOf(team)).toBe("active");
  });

  it("must be one of the known ones", async () => {
    const team = await newTeam();
    expect(outcome(await putStatus(team, "sleeping"))).toBe("400 bad-request");
    const json = { status: "active", currency: "euro" };
    expect(outcome(await internalApi("PUT", `/i/teams/${team.id}/status`, { json }))).toBe("400 bad-request");
  });
});
