import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { streams } from "#shared/events/notification.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { registerDevice } from "../../support/devices.ts";
import { announceInTeamLog, eventSource, storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { accept, invite, newInvitation } from "../../support/invitations.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { type Apis, logIn, newUser, type User } from "../../support/users.ts";

const shared: Apis = { publicApi: api, internalApi };

const deleteTeam = (
  { id }: Pick<Team, "id">,
  { token, password }: Pick<User, "token" | "password">,
  { apis = shared, ...fields }: { apis?: Apis; password?: string; verification_code?: string } = {},
) => apis.publicApi("DELETE", `/teams/${id}`, { token, json: { password, ...fields } });

const statusOf = async ({ id }: Pick<Team, "id">, apis = shared) =>
  (await apis.internalApi("GET", `/i/teams/${id}`)).body.status;

/** Wait until a deletion has ended. */
const untilDeleted = (team: Pick<Team, "id">, apis = shared) =>
  eventually(async () => expect(await statusOf(team, apis)).toBe("deleted"));

describe.concurrent("deleting a team", () => {
  it("needs the password, and leaves the team active without it", async () => {
    const team = await newTeam();
    const { owner } = team;
    expect(outcome(await deleteTeam(team, owner, { password: "wrong password" }))).toBe("403 access-denied");
    expect(outcome(await deleteTeam(team, { ...owner, password: undefined as never }))).toBe(
      "403 access-denied",
    );
    expect(outcome(await api("DELETE", `/teams/${team.id}`, { token: owner.token }))).toBe(
      "403 access-denied",
    );
    expect(await statusOf(team)).toBe("active");
  });

  it("needs an owner, which is checked before the password", async () => {
    const [team, other, person] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    for (const user of [admin, member]) {
      expect(outcome(await deleteTeam(team, user, { password: "wrong password" }))).toBe(
        "403 operation-denied",
      );
    }
    for (const user of [other.owner, person]) {
      expect(outcome(await deleteTeam(team, user))).toBe("403 no-team-member");
    }
    expect(outcome(await deleteTeam({ id: randomUUID() }, person))).toBe("404 no-team");
    expect(await statusOf(team)).toBe("active");
  });

  it("deletes the accounts of all members, who get team.delete and user.delete", async () => {
    const [team, contact, stranger] = await Promise.all([newTeam(), newUser(), newUser()]);
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    await connectUsers(member, contact);
    const all = [team.owner, admin, member];
    const sockets = await Promise.all(all.map(({ token }) => openSocket("/await", { token })));
    expect(outcome(await deleteTeam(team, team.owner))).toBe("202");
    await untilDeleted(team);
    await Promise.all(sockets.map(({ closed }) => closed));
    const teamDelete = { type: "team.delete", team: team.id, time: expect.any(String), data: null };
    for (const { id, token } of all) {
      await eventually(async () => {
        const events = await storedEvents(token, /\.delete$/);
        expect(events).toEqual([teamDelete, expect.objectContaining({ type: "user.delete", id })]);
      });
    }
    for (const user of all) {
      expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
      expect(outcome(await api("POST", "/access", { cookie: user.cookie }))).toBe("403 invalid-credentials");
    }
    await eventually(async () => {
      expect(await storedEvents(contact.token, "user.delete")).toMatchObject([{ id: member.id }]);
    });
    for (const user of [contact, stranger]) expect(await storedEvents(user.token, "team.delete")).toEqual([]);
    expect(await storedEvents(stranger.token, "user.delete")).toEqual([]);
    expect(outcome(await api("GET", `/teams/${team.id}`, { token: stranger.token }))).toBe("404 no-team");
    expect(outcome(await deleteTeam(team, stranger))).toBe("404 no-team");
  });

  it("frees the addresses of the members", async () => {
    const team = await newTeam();
    await deleteTeam(team, team.owner);
    await untilDeleted(team);
    const answer = await api("POST", "/register", { json: { name: "Ada", email: team.owner.email } });
    expect(answer.status).toBe(201);
  });

  it("by the operator needs `force` if there is more than one member", async () => {
    const [team, alone] = await Promise.all([newTeam(), newTeam()]);
    await team.add();
    const remove = ({ id }: Pick<Team, "id">, query = "") => internalApi("DELETE", `/i/teams/${id}${query}`);
    expect(outcome(await remove(team))).toBe("403 not-one-member-team");
    expect(outcome(await remove(team, "?force=false"))).toBe("403 not-one-member-team");
    expect(outcome(await remove(team, "?force=yes"))).toBe("400 bad-request");
    expect(await statusOf(team)).toBe("active");
    expect(outcome(await remove(team, "?force=true"))).toBe("202");
    expect(outcome(await remove(alone))).toBe("202");
    await Promise.all([untilDeleted(team), untilDeleted(alone)]);
    expect(outcome(await remove(team))).toBe("404 no-team");
    expect(outcome(await remove({ id: randomUUID() }))).toBe("404 no-team");
  });

  it("can be finished on demand only if it has started", async () => {
    const team = await newTeam();
    const finish = () => internalApi("POST", `/i/teams/${team.id}/finalize-delete`);
    expect(outcome(await finish())).toBe("403 invalid-team-status-update");
    await deleteTeam(team, team.owner);
    expect((await finish()).status).toBe(204);
    await untilDeleted(team);
    expect((await finish()).status).toBe(204);
    const unknown = await internalApi("POST", `/i/teams/${randomUUID()}/finalize-delete`);
    expect(outcome(unknown)).toBe("404 no-team");
  });
});

/** Whether a transaction sends the event `team.delete`; the audit trail has a record `team.deleted`. */
const isDeletionEvent = (body: string) => /team\.delete(?!d)/.test(body);

describe("deleting a team, in a stack without other users", () => {
  /** Its workers handle no messages about teams while `isStopped`. */
  let stack: OwnStack;
  let isStopped = false;
  let endFaults = () => {};
  afterAll(() => endFaults());

  const isTeamJob = (body: string) => body.includes('"team-jobs#') && body.includes("leasedUntil");

  beforeAll(async () => {
    stack = await ownStack({ concurrentDeletionEvents: 5, outboxResendSeconds: 1 });
    endFaults = injectFaults(({ service, action, body }) =>
      isStopped && service === "dynamodb" && action === "UpdateItem" && isTeamJob(body)
        ? "dies-before"
        : undefined,
    );
  });

  /** Runs a task while deletions are marked but not carried out. */
  async function whilePending(task: () => Promise<void>): Promise<void> {
    isStopped = true;
    try {
      await task();
    } finally {
      isStopped = false;
    }
  }

  it("lets nobody join, and answers 202 again, until it is finished", async () => {
    const team = await newTeam({}, stack);
    const [member, stranger, invited] = await Promise.all([
      team.add(),
      newUser({}, stack),
      newUser({}, stack),
    ]);
    const invitation = await newInvitation(team, { email: invited.email, allow_existing: true }, stack);
    const asked = { ...team.owner, password: undefined as never };
    await whilePending(async () => {
      expect(outcome(await deleteTeam(team, team.owner, { apis: stack }))).toBe("202");
      expect(await statusOf(team, stack)).toBe("pending_delete");
      for (const user of [asked, member, stranger]) {
        expect(outcome(await deleteTeam(team, user, { apis: stack }))).toBe("202");
      }
      await expect(team.add()).rejects.toThrow(team.id);
      expect(outcome(await invite(team, {}, { apis: stack }))).toBe("404 no-team");
      const accepted = await accept(invited, invitation.code, stack);
      expect(outcome(accepted)).toMatch(/^(404 no-team|400 invalid-invitation-code)$/);
      const { status } = await stack.publicApi("GET", `/teams/${team.id}`, { token: member.token });
      expect(status).toBe(200);
      const change = { token: team.owner.token, json: { name: "Late" } };
      expect(outcome(await stack.publicApi("PUT", `/teams/${team.id}`, change))).toBe("404 no-team");
      expect(outcome(await stack.internalApi("POST", `/i/teams/${team.id}/suspend`))).toBe(
        "403 invalid-team-status-update",
      );
      expect((await logIn(member, { apis: stack })).status).toBe(200);
    });
    await untilDeleted(team, stack);
    expect(outcome(await logIn(member, { apis: stack }))).toBe("403 invalid-credentials");
  });

  it("succeeds for several concurrent requests", async () => {
    const team = await newTeam({}, stack);
    await team.add();
    await whilePending(async () => {
      const requests = Array.from({ length: 4 }, () => deleteTeam(team, team.owner, { apis: stack }));
      expect((await Promise.all(requests)).map(outcome)).toEqual(Array(4).fill("202"));
    });
    await untilDeleted(team, stack);
  });

  it("leaves nothing but tombstones", async () => {
    const team = await newTeam({}, stack);
    const [member, admin] = await Promise.all([team.add(), team.add("admin")]);
    const provisioning = provisioningData({ prefix: stack.prefix });
    const [provider] = [
      await provisioning.newProvider(team.id, { certificates: ["MII"] }),
      await provisioning.newProvider(team.id, { certificates: ["MII"], apiVersion: "v1" }),
    ];
    await provisioning.newToken(team.id, { idpId: provider.id });
    await provisioning.newToken(team.id);
    await stack.internalApi("PUT", "/i/sso/settings", { json: { default_sso_code: provider.id } });
    const log = eventSource({ prefix: stack.prefix });
    await announceInTeamLog(team.id, stack);
    await eventually(async () => expect(await log.countIn(streams.team(team.id))).toBe(1));
    await registerDevice(member, {}, { publicApi: stack.publicApi });
    const logged = await logIn(admin, { apis: stack });
    const socket = await openSocket("/await", { token: logged.body.access_token }, stack);
    await deleteTeam(team, team.owner, { apis: stack });
    await untilDeleted(team, stack);
    await socket.closed;
    // Late, as after a join shortly before the deletion; the second one shows that the first was handled.
    await announceInTeamLog(team.id, stack);
    const other = await newTeam({}, stack);
    await announceInTeamLog(other.id, stack);
    await eventually(async () => expect(await log.countIn(streams.team(other.id))).toBe(1));
    await eventually(async () => {
      const { teams, accounts, notifications, outbox, ...others } = await itemsMentioning(
        team.id,
        stack.prefix,
      );
      expect(teams).toEqual([
        {
          owner: `team#${team.id}`,
          entry: "team",
          teamId: team.id,
          creator: team.owner.id,
          name: "default",
          icon: "default",
          splashScreen: "default",
          status: "deleted",
          statusChangedAt: expect.any(Number),
          searchVisibility: "standard",
          memberCount: 0,
          ownerCount: 0,
          adminCount: 0,
        },
      ]);
      expect({ accounts, outbox, ...others }).toEqual({});
      // Users' notifications stay in their logs until they expire.
      expect(notifications?.filter(({ stream }) => String(stream).includes(team.id)) ?? []).toEqual([]);
    });
    const provisioned = Object.keys(await itemsMentioning(provider.id, stack.prefix));
    expect(provisioned).toEqual([]);
    expect((await stack.publicApi("GET", "/sso/settings")).body).toEqual({ default_sso_code: null });
    for (const kind of ["issuer#", "idp#", "token#"])
      expect(await itemsMentioning(kind, stack.prefix)).toEqual({});
    // The member had a device.
    await eventually(async () => {
      const { accounts, notifications: _, ...others } = await itemsMentioning(member.id, stack.prefix);
      expect(accounts?.map(({ sk }) => sk).toSorted()).toEqual(["account", "sessions"]);
      expect(Object.values(others).flatMap((items) => items.filter((item) => !item.purgeAtSeconds))).toEqual(
        [],
      );
    });
  });

  it("leaves nothing behind when users join, invite, log in or change the team meanwhile", async () => {
    const team = await newTeam({}, stack);
    const [admin, ...invited] = await Promise.all([
      team.add("admin"),
      ...Array.from({ length: 4 }, () => newUser({}, stack)),
    ]);
    const invitations = await Promise.all(
      invited.map(({ email }) => newInvitation(team, { email, allow_existing: true }, stack)),
    );
    const path = `/teams/${team.id}`;
    const { token } = admin;
    const attempts = [
      ...invited.map((user, index) => () => accept(user, invitations[index]?.code ?? "", stack)),
      () => invite(team, {}, { by: admin, apis: stack }),
      () => logIn(admin, { apis: stack }),
      () => stack.publicApi("PUT", path, { token, json: { name: "Late" } }),
      () => stack.publicApi("PUT", `${path}/features/fileSharing`, { token, json: { status: "disabled" } }),
      () => stack.publicApi("GET", path, { token }),
      () => stack.internalApi("POST", `/i${path}/suspend`),
    ];
    const [removed, ...answers] = await Promise.all([
      deleteTeam(team, team.owner, { apis: stack }),
      ...attempts.map((attempt) => attempt()),
    ]);
    expect(removed.status).toBe(202);
    const refusals = [
      "400 invalid-invitation-code",
      "403 insufficient-permissions",
      "403 invalid-credentials",
      "403 no-team-member",
      "403 suspended",
      "404 no-team",
    ];
    for (const answer of answers) expect(["200", "201", ...refusals]).toContain(outcome(answer));
    await untilDeleted(team, stack);
    await eventually(async () => {
      const { teams, ...others } = await itemsMentioning(team.id, stack.prefix);
      expect(teams).toHaveLength(1);
      // These expire: notifications of users, and the team's budget for invitations.
      delete others.notifications;
      delete others["rate-limits"];
      expect(others).toEqual({});
    });
    for (const [index, user] of invited.entries()) {
      const status = (await stack.internalApi("GET", `/i/users/${user.id}/status`)).body.status;
      const hasJoined = answers[index]?.status === 200;
      expect(status).toBe(hasJoined ? "deleted" : "active");
    }
  });

  it("continues where its worker died", async () => {
    const team = await newTeam({}, stack);
    const members = await Promise.all(Array.from({ length: 7 }, () => team.add()));
    let deleted = 0;
    const end = injectFaults(({ service, action, body }) => {
      const isDeletion =
        service === "dynamodb" && action === "TransactWriteItems" && body.includes("team.delete");
      return isDeletion && ++deleted > 3 ? "dies-after" : undefined;
    });
    await deleteTeam(team, team.owner, { apis: stack });
    await eventually(() => expect(deleted).toBeGreaterThan(3));
    end();
    await untilDeleted(team, stack);
    for (const member of members) {
      expect(outcome(await logIn(member, { apis: stack }))).toBe("403 invalid-credentials");
    }
    const { teams } = await itemsMentioning(team.id, stack.prefix);
    expect(teams).toHaveLength(1);
  });

  it("deletes all other members when some cannot be deleted, and ends with these", async () => {
    const team = await newTeam({}, stack);
    const added = await Promise.all(Array.from({ length: 6 }, () => team.add()));
    const members = [team.owner, ...added].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const [stuck, others] = [members.slice(0, 5), members.slice(5)];
    const end = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && isDeletionEvent(body) && stuck.some(({ id }) => body.includes(id))
        ? "denied"
        : undefined,
    );
    await deleteTeam(team, team.owner, { apis: stack });
    await eventually(async () => {
      for (const member of others) {
        expect(outcome(await logIn(member, { apis: stack }))).toBe("403 invalid-credentials");
      }
    });
    expect(await statusOf(team, stack)).toBe("pending_delete");
    end();
    await stack.internalApi("POST", `/i/teams/${team.id}/finalize-delete`);
    await untilDeleted(team, stack);
    expect(outcome(await logIn(team.owner, { apis: stack }))).toBe("403 invalid-credentials");
  });

  it("sends no further message when members who cannot be deleted use up its time, so that the message is parked", async () => {
    // Without sweeps: when the time is up, the lease is over as well, and a sweep would have the order carried out twice.
    const slow = await ownStack({ concurrentDeletionEvents: 2, outboxResendSeconds: 600 });
    const team = await newTeam({}, slow);
    await Promise.all([team.add(), team.add()]);
    let orders = 0;
    let releases = 0;
    const end = injectFaults(({ service, action, body }) => {
      if (service !== "dynamodb" || !body.includes(slow.prefix)) return undefined;
      if (body.includes("REMOVE leasedUntil") && body.includes('"team-jobs#')) releases++;
      if (action !== "TransactWriteItems") return undefined;
      if (body.includes('"team-jobs#')) orders++;
      if (!isDeletionEvent(body)) return undefined;
      slow.advance(100);
      return "denied";
    });
    await deleteTeam(team, team.owner, { apis: slow });
    await eventually(() => expect(orders + releases).toBeGreaterThan(1));
    end();
    expect({ orders, releases }).toEqual({ orders: 1, releases: 1 });
  });

  it("continues with a further message when time runs out", async () => {
    // Without sweeps, as above.
    const slow = await ownStack({ concurrentDeletionEvents: 5, outboxResendSeconds: 600 });
    const team = await newTeam({}, slow);
    const members = await Promise.all(Array.from({ length: 7 }, () => team.add()));
    let orders = 0;
    let deleted = 0;
    const end = injectFaults(({ service, action, body, isFirstAttempt }) => {
      if (service !== "dynamodb" || action !== "TransactWriteItems" || !isFirstAttempt) return undefined;
      if (body.includes("team.delete") && ++deleted === 3) slow.advance(100);
      if (body.includes('"team-jobs#')) orders++;
      return undefined;
    });
    await deleteTeam(team, team.owner, { apis: slow });
    await untilDeleted(team, slow);
    end();
    expect(orders).toBe(2);
    expect(outcome(await logIn(members[0] as User, { apis: slow }))).toBe("403 invalid-credentials");
  });

  it("is enqueued again by a request for the team when its job is lost", async () => {
    const team = await newTeam({}, stack);
    const { token } = team.owner;
    const get = () => stack.publicApi("GET", `/teams/${team.id}`, { token });
    let orders = 0;
    // The job is lost: neither the queue nor the outbox has it.
    const end = injectFaults(({ service, action, body }) => {
      if (!body.includes("team-jobs")) return undefined;
      if (service === "dynamodb" && action === "TransactWriteItems") orders++;
      return service === "sqs" && action === "SendMessage" ? "ignored" : undefined;
    });
    await deleteTeam(team, team.owner, { apis: stack });
    await Promise.all([get(), get()]);
    expect(orders).toBe(1);
    stack.advance(301);
    await Promise.all([get(), get(), get()]);
    end();
    expect(orders).toBeGreaterThan(1);
    await untilDeleted(team, stack);
  });
});

describe("deleting a team where a second factor is required", () => {
  it("needs the code that was mailed", async () => {
    const stack = await stackWith({ sndFactorPasswordChallenge: { defaults: { status: "enabled" } } });
    const team = await newTeam({}, stack);
    const { owner } = team;
    const remove = (fields: object) => deleteTeam(team, owner, { apis: stack, ...fields });
    expect(outcome(await remove({}))).toBe("403 code-authentication-required");
    const order = { action: "delete_team", email: owner.email };
    expect((await stack.publicApi("POST", "/verification-code/send", { json: order })).status).toBe(200);
    expect(outcome(await remove({ verification_code: "nonsense" }))).toBe("403 code-authentication-failed");
    expect(outcome(await remove({ password: "wrong password" }))).toBe("403 access-denied");
    expect(await statusOf(team, stack)).toBe("active");
    const { body: code } = await stack.internalApi(
      "GET",
      `/i/users/${owner.id}/verification-code/delete_team`,
    );
    expect(outcome(await remove({ verification_code: code }))).toBe("202");
    await untilDeleted(team, stack);
  });
});
