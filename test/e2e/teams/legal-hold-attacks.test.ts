import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, createConversation, qualified } from "../../support/conversations.ts";
import { addCrowd } from "../../support/crowds.ts";
import { newDevice, registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { type AwsCall, whileCallWaits } from "../../support/faults.ts";
import { legalHoldData, switchLegalHold } from "../../support/legal-hold.ts";
import { type LegalHoldService, startLegalHoldService } from "../../support/legal-hold-service.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newServiceKey } from "../../support/tls-service.ts";
import { newUser, somePassword, type User } from "../../support/users.ts";

const services: LegalHoldService[] = [];
afterAll(() => {
  for (const service of services) service.stop();
});

let stack: OwnStack;
beforeAll(async () => {
  stack = await stackWith();
});

async function startService(...options: Parameters<typeof startLegalHoldService>) {
  const service = await startLegalHoldService(...options);
  services.push(service);
  return service;
}

const json = { password: somePassword };
const pathOf = ({ id }: Team, member: User) => `/teams/${id}/legalhold/${member.id}`;
const settingsOf = ({ id }: Team) => `/teams/${id}/legalhold/settings`;

const register = ({ owner, ...team }: Team, { registration }: LegalHoldService) =>
  stack.publicApi("POST", settingsOf({ owner, ...team }), { token: owner.token, json: registration });
const unregister = (team: Team) =>
  stack.publicApi("DELETE", settingsOf(team), { token: team.owner.token, json });
const consent = ({ id }: Team, { token }: User) =>
  stack.publicApi("POST", `/teams/${id}/legalhold/consent`, { token });
const request = (team: Team, member: User) =>
  stack.publicApi("POST", pathOf(team, member), { token: team.owner.token });
const approve = (team: Team, member: User) =>
  stack.publicApi("PUT", `${pathOf(team, member)}/approve`, { token: member.token, json });
const end = (team: Team, member: User) =>
  stack.publicApi("DELETE", pathOf(team, member), { token: team.owner.token, json });
const access = (cookie: string) => stack.publicApi("POST", "/access", { cookie });

/** A member's legal hold as others see it, and as it is stored. */
async function stateOf(team: Team, member: User) {
  const { token } = member;
  const [status, devices] = await Promise.all([
    stack.publicApi("GET", pathOf(team, member), { token }),
    stack.publicApi("GET", "/v8/clients", { token }),
  ]);
  const ids = devices.body.flatMap(({ id, type }: { id: string; type: string }) =>
    type === "legalhold" ? [id] : [],
  );
  return { status: status.body.status, devices: ids };
}

/** A team with a service, and a member who has consented. */
async function newHeldTeam() {
  const [team, service] = await Promise.all([newTeam({}, stack), startService()]);
  await switchLegalHold(team, "enabled", stack);
  expect(outcome(await register(team, service))).toBe("201");
  const member = await team.add();
  expect(outcome(await consent(team, member))).toBe("201");
  return { team, service, member };
}

/** The same, with a request that awaits the member's approval. */
async function newPendingMember() {
  const held = await newHeldTeam();
  expect(outcome(await request(held.team, held.member))).toBe("201");
  return held;
}

describe("an approval", () => {
  it("never leaves a status without a device when legal hold ends while the service confirms the device", async () => {
    const { team, service, member } = await newPendingMember();
    service.answer("/remove", { status: 400 });
    service.answer("/confirm", async () => {
      expect(outcome(await end(team, member))).toBe("412 legalhold-unavailable");
      return {};
    });
    expect(outcome(await approve(team, member))).toBe("409 concurrent-change");
    expect(await stateOf(team, member)).toEqual({ status: "pending", devices: [] });
    expect((await access(service.callsOf("/confirm")[0]?.body.refresh_token)).status).toBe(403);

    service.answer("/remove", {});
    service.answer("/confirm", {});
    expect(outcome(await approve(team, member))).toBe("200");
    const [id] = service.callsOf("/confirm").map(({ body }) => body.client_id);
    expect(await stateOf(team, member)).toEqual({ status: "enabled", devices: [id] });
  });

  const ends: Record<string, (team: Team) => Promise<unknown>> = {
    "the service is removed": unregister,
    "the service is being removed": ({ id }) => legalHoldData(stack).beginEnd(id),
    "legal hold is switched off": (team) => switchLegalHold(team, "disabled", stack),
  };

  it.each(Object.keys(ends))("tells the service of the end when %s meanwhile", async (kind) => {
    const { team, service, member } = await newPendingMember();
    service.answer("/confirm", async () => {
      await ends[kind]?.(team);
      return {};
    });
    expect(outcome(await approve(team, member))).toMatch(/^4/);
    await unregister(team);
    await eventually(async () =>
      expect(await stateOf(team, member)).toEqual({ status: "disabled", devices: [] }),
    );
    expect(service.calls.map(({ path }) => path).at(-1)).toBe("/remove");
  });

  it("is refused when the user has registered a device of another kind with the same key", async () => {
    const { team, service, member } = await newPendingMember();
    const [made] = service.devices;
    await registerDevice(
      member,
      { ...newDevice(), lastkey: made?.last_prekey },
      { publicApi: stack.publicApi },
    );
    expect(outcome(await approve(team, member))).toBe("404 legalhold-no-device-allocated");
    expect(await stateOf(team, member)).toEqual({ status: "pending", devices: [] });
    expect(outcome(await request(team, member))).toBe("204");
    expect(outcome(await approve(team, member))).toBe("200");
  });

  it("is refused to somebody who is removed from the team meanwhile", async () => {
    const { team, member } = await newPendingMember();
    const locksDevice = ({ action, body }: AwsCall) =>
      action === "TransactWriteItems" && body.includes("heldUntil") && body.includes(member.id);
    const approved = await whileCallWaits(
      locksDevice,
      () => approve(team, member),
      async () => {
        const path = `/teams/${team.id}/members/${member.id}`;
        expect(outcome(await stack.publicApi("DELETE", path, { token: team.owner.token, json }))).toBe("202");
        await eventually(async () =>
          expect((await stack.publicApi("GET", path, { token: team.owner.token })).status).toBe(404),
        );
      },
    );
    expect(outcome(approved)).toBe("403 no-team-member");
  });
});

describe("the end of legal hold", () => {
  it("is reported again to a service that hears of an approval after the end", async () => {
    const { team, service, member } = await newPendingMember();
    const approveMeanwhile = async () => {
      expect(outcome(await approve(team, member))).toBe("200");
      return {};
    };
    service.answer("/remove", approveMeanwhile, {});
    expect(outcome(await end(team, member))).toBe("200");
    expect(await stateOf(team, member)).toEqual({ status: "disabled", devices: [] });
    expect(service.calls.map(({ path }) => path).at(-1)).toBe("/remove");
  });

  it.each([
    ["removes a device that is being added just then", {}, "200", "disabled", "412 legalhold-not-pending"],
    [
      "removes it even if the service cannot be told",
      { status: 400 },
      "412 legalhold-unavailable",
      "pending",
      "409 concurrent-change",
    ],
  ])("%s", async (_what, answer, ended, status, approved) => {
    const { team, service, member } = await newPendingMember();
    const isDecided = Promise.withResolvers<void>();
    service.answer("/remove", answer);
    service.answer("/confirm", () => isDecided.promise.then(() => ({})));
    let approval: ReturnType<typeof approve> | undefined;
    const endInterception = interceptAwsCalls(async ({ action, body }, send) => {
      if (approval === undefined && action !== "BatchGetItem" && body.includes("legal-hold-sessions")) {
        approval = approve(team, member);
        await eventually(async () => expect(service.callsOf("/confirm")).toHaveLength(1));
      }
      return send();
    });
    expect(outcome(await end(team, member))).toBe(ended);
    endInterception();
    isDecided.resolve();
    expect(approval && outcome(await approval)).toBe(approved);
    expect(await stateOf(team, member)).toEqual({ status, devices: [] });
    expect((await access(service.callsOf("/confirm")[0]?.body.refresh_token)).status).toBe(403);
  });
});

describe("the removal of a service", () => {
  it("changes nothing that was set up after another removal", async () => {
    const { team, service, member } = await newPendingMember();
    expect(outcome(await approve(team, member))).toBe("200");
    const second = await startService({ key: newServiceKey() });
    const bothAsk = Promise.withResolvers<void>();
    const isRebuilt = Promise.withResolvers<void>();
    service.answer(
      "/remove",
      () => bothAsk.promise.then(() => ({})),
      () => {
        bothAsk.resolve();
        return isRebuilt.promise.then(() => ({}));
      },
    );
    const removals = Promise.all([unregister(team), unregister(team)]);
    // Before they have begun, the registration would replace the service of a member who is still under legal hold.
    await bothAsk.promise;
    await eventually(async () => expect(outcome(await register(team, second))).toBe("201"));
    expect(outcome(await request(team, member))).toBe("201");
    expect(outcome(await approve(team, member))).toBe("200");
    isRebuilt.resolve();
    expect((await removals).map(outcome)).toEqual(["204", "204"]);
    const [device] = second.callsOf("/confirm").map(({ body }) => body.client_id);
    expect(await stateOf(team, member)).toEqual({ status: "enabled", devices: [device] });
    const { body } = await stack.publicApi("GET", settingsOf(team), { token: team.owner.token });
    expect(body.status).toBe("configured");
    expect(await legalHoldData(stack).isEnding(team.id)).toBe(false);
  });
});

describe("the address of a service", () => {
  it.each([
    ["an empty fragment", "/hold#"],
    ["an empty query", "/hold?"],
    ["a blank", "/ho ld"],
    ["a backslash", "\\hold"],
  ])("is refused with %s", async (_what, suffix) => {
    const { team, service } = await newHeldTeam();
    const registration = { ...service.registration, base_url: service.baseUrl + suffix };
    const { length } = service.calls;
    expect(outcome(await register(team, { ...service, registration }))).toBe("400 bad-request");
    expect(service.calls).toHaveLength(length);
  });
});

describe("the guard of prekeys", () => {
  const claims: Record<
    string,
    (device: { userId: string; clientId: string }, token: string) => Promise<string>
  > = {
    "of a device": async ({ userId, clientId }, token) =>
      outcome(await stack.publicApi("GET", `/users/${localDomain}/${userId}/prekeys/${clientId}`, { token })),
    "of several devices": async ({ userId, clientId }, token) => {
      const wanted = { [localDomain]: { [userId]: [clientId] } };
      const { body } = await stack.publicApi("POST", "/v3/users/list-prekeys", { token, json: wanted });
      return body[localDomain][userId][clientId] === null ? "404 not-found" : "200";
    },
  };

  it.each(Object.keys(claims))("also covers a device that is added after the check: %s", async (kind) => {
    const [{ team, member, service }, stranger] = await Promise.all([newPendingMember(), newUser({}, stack)]);
    const { client } = (await stack.publicApi("GET", pathOf(team, member), { token: member.token })).body;
    let isNext = true;
    const endInterception = interceptAwsCalls(async ({ action, body }, send) => {
      const answer = await send();
      if (!isNext || action !== "BatchGetItem" || !body.includes('"devices"')) return answer;
      isNext = false;
      expect(outcome(await approve(team, member))).toBe("200");
      return answer;
    });
    const claimed = await claims[kind]?.({ userId: member.id, clientId: client.id }, stranger.token);
    endInterception();
    expect([isNext, claimed]).toEqual([false, "404 not-found"]);
    expect(service.callsOf("/confirm")).toHaveLength(1);
  });
});

describe("the operator's login for a device", () => {
  it("gives no cookie that outlives the device", async () => {
    const { team, member } = await newPendingMember();
    expect(outcome(await approve(team, member))).toBe("200");
    let isNext = true;
    const endInterception = interceptAwsCalls(async ({ action, body }, send) => {
      if (isNext && action.endsWith("TransactWriteItems") && body.includes("legal-hold-sessions")) {
        isNext = false;
        expect(outcome(await end(team, member))).toBe("200");
      }
      return send();
    });
    const login = await stack.internalApi("POST", "/i/legalhold-login", {
      json: { user: member.id, password: somePassword },
    });
    endInterception();
    expect([isNext, outcome(login), login.cookie]).toEqual([false, "409 concurrent-change", undefined]);
  });
});

describe("a device that a user registers", () => {
  it("cannot be taken for one of legal hold", async () => {
    const user = await newUser({}, stack);
    const registered = await registerDevice(user, { class: "legalhold" }, { publicApi: stack.publicApi });
    expect(outcome(registered)).toBe("400 client-error");
  });
});

describe("a group that gets more members than a transaction adds", () => {
  it("loses those who have not consented when one of the last comes under legal hold meanwhile", async () => {
    const { team, member } = await newHeldTeam();
    const objecting = await team.add();
    const crowd = await addCrowd(team, { size: 47 }, stack.prefix);
    const { setStatus } = legalHoldData(stack);
    for (const userId of [team.owner.id, ...crowd]) await setStatus({ teamId: team.id, userId }, "disabled");
    const group = await conversationData(stack).newConversation([team.owner, objecting]);

    const path = `/v9/conversations/${localDomain}/${group.id}`;
    const added = await whileCallWaits(
      ({ action, body }) => action === "TransactWriteItems" && body.includes(group.id),
      () => {
        const users = qualified(...crowd.map((id) => ({ id })), member);
        return stack.publicApi("POST", `${path}/members`, {
          token: team.owner.token,
          json: { qualified_users: users },
        });
      },
      async () => {
        expect(outcome(await request(team, member))).toBe("201");
        expect(outcome(await approve(team, member))).toBe("200");
      },
    );
    expect(outcome(added)).toBe("200");
    await eventually(
      async () => {
        const { body } = await stack.publicApi("GET", path, { token: member.token });
        const ids = body.members.others.map(({ id }: { id: string }) => id);
        expect(new Set(ids)).toEqual(new Set([team.owner.id, ...crowd]));
      },
      { timeoutSeconds: 10 },
    );
  });
});

describe("a group created with more members than fit into a transaction", () => {
  it("loses those who have not consented when another one comes under legal hold meanwhile", async () => {
    const { team, member } = await newHeldTeam();
    expect(outcome(await consent(team, team.owner))).toBe("201");
    const crowd = await addCrowd(team, { size: 45 }, stack.prefix);
    const [first = ""] = crowd;

    const users = [...crowd.map((id) => ({ id })), member];
    const created = await whileCallWaits(
      ({ action, body }) => action === "BatchWriteItem" && body.includes(first),
      () => createConversation(team.owner, { with: users, in: team }, stack),
      async () => {
        expect(outcome(await request(team, member))).toBe("201");
        expect(outcome(await approve(team, member))).toBe("200");
        await eventually(async () => {
          const { outbox = [] } = await itemsMentioning(member.id, stack.prefix, ["outbox"]);
          expect(outbox.filter((item) => JSON.stringify(item).includes("settle-legal-hold"))).toEqual([]);
        });
      },
    );
    expect(outcome(created)).toBe("201");
    const path = `/v9/conversations/${localDomain}/${created.body.id}`;
    await eventually(async () => {
      const { body } = await stack.publicApi("GET", path, { token: member.token });
      expect(body.members.others.map(({ id }: { id: string }) => id)).toEqual([team.owner.id]);
    });
  });
});
