import { describe, expect, it } from "vitest";
import { itemsMentioning } from "../../support/all-items.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { createConversation, newConversation, qualified } from "../../support/conversations.ts";
import { addCrowd } from "../../support/crowds.ts";
import { newDevice, registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { legalHoldData, switchLegalHold } from "../../support/legal-hold.ts";
import {
  approveLegalHold,
  consentToLegalHold,
  endLegalHold,
  legalHoldPath,
  newHeldTeam,
  requestLegalHold,
} from "../../support/legal-hold-members.ts";
import { type LegalHoldService, startLegalHoldService } from "../../support/legal-hold-service.ts";
import { overtaking } from "../../support/races.ts";
import { sharedPrefix } from "../../support/shared-stack.ts";
import type { Team } from "../../support/teams.ts";
import { newServiceKey } from "../../support/tls-service.ts";
import { newUser, somePassword, type User } from "../../support/users.ts";

const json = { password: somePassword };
const settingsOf = ({ id }: Team) => `/teams/${id}/legalhold/settings`;

const register = ({ owner, ...team }: Team, { registration }: LegalHoldService) =>
  api("POST", settingsOf({ owner, ...team }), { token: owner.token, json: registration });
const unregister = (team: Team) => api("DELETE", settingsOf(team), { token: team.owner.token, json });
const access = (cookie: string) => api("POST", "/access", { cookie });

/** A member's legal hold as others see it, and as it is stored. */
async function stateOf(team: Team, member: User) {
  const { token } = member;
  const [status, devices] = await Promise.all([
    api("GET", legalHoldPath(team, member), { token }),
    api("GET", "/v8/clients", { token }),
  ]);
  const ids = devices.body.flatMap(({ id, type }: { id: string; type: string }) =>
    type === "legalhold" ? [id] : [],
  );
  return { status: status.body.status, devices: ids };
}

/** The same team with a request that awaits the member's approval. */
async function newPendingMember() {
  const held = await newHeldTeam();
  expect(outcome(await requestLegalHold(held.team, held.member))).toBe("201");
  return held;
}

/** The same team with legal hold in force. */
async function newMemberUnderHold() {
  const held = await newPendingMember();
  expect(outcome(await approveLegalHold(held.team, held.member))).toBe("200");
  return held;
}

/** The member gets legal hold while something else is under way. */
async function holdMember({ team, member }: { team: Team; member: User }) {
  expect(outcome(await requestLegalHold(team, member))).toBe("201");
  expect(outcome(await approveLegalHold(team, member))).toBe("200");
}

const tokensOf = (service: LegalHoldService) =>
  service.callsOf("/confirm").map(({ body }): string => body.refresh_token);
const isUsable = async (token = "") => (await access(token)).status !== 403;

describe("an approval", () => {
  it("never leaves a status without a device when legal hold ends while the service confirms the device", async () => {
    const { team, service, member } = await newPendingMember();
    service.answer("/remove", { status: 400 });
    service.answer("/confirm", async () => {
      expect(outcome(await endLegalHold(team, member))).toBe("412 legalhold-unavailable");
      return {};
    });
    expect(outcome(await approveLegalHold(team, member))).toBe("409 concurrent-change");
    expect(await stateOf(team, member)).toEqual({ status: "pending", devices: [] });
    expect(await isUsable(tokensOf(service)[0])).toBe(false);

    service.answer("/remove", {});
    service.answer("/confirm", {});
    expect(outcome(await approveLegalHold(team, member))).toBe("200");
    const [id] = service.callsOf("/confirm").map(({ body }) => body.client_id);
    expect(await stateOf(team, member)).toEqual({ status: "enabled", devices: [id] });
  });

  const ends: Record<string, (team: Team) => Promise<unknown>> = {
    "the service is removed": unregister,
    "the service is being removed": ({ id }) => legalHoldData().beginEnd(id),
    "legal hold is switched off": (team) => switchLegalHold(team, "disabled"),
  };

  it.each(Object.keys(ends))("tells the service of the end when %s meanwhile", async (kind) => {
    const { team, service, member } = await newPendingMember();
    service.answer("/confirm", async () => {
      await ends[kind]?.(team);
      return {};
    });
    expect(outcome(await approveLegalHold(team, member))).toMatch(/^4/);
    await unregister(team);
    await eventually(async () =>
      expect(await stateOf(team, member)).toEqual({ status: "disabled", devices: [] }),
    );
    expect(service.calls.at(-1)?.path).toBe("/remove");
  });

  it("is refused when the user has registered a device of another kind with the same key", async () => {
    const { team, service, member } = await newPendingMember();
    const device = { ...newDevice(), lastkey: service.devices[0]?.last_prekey };
    await registerDevice(member, device);
    expect(outcome(await approveLegalHold(team, member))).toBe("404 legalhold-no-device-allocated");
    expect(await stateOf(team, member)).toEqual({ status: "pending", devices: [] });
    expect(outcome(await requestLegalHold(team, member))).toBe("204");
    expect(outcome(await approveLegalHold(team, member))).toBe("200");
  });

  overtaking("is refused to somebody who is removed from the team meanwhile", {
    given: newPendingMember,
    act: ({ team, member }) => approveLegalHold(team, member),
    // The device is locked.
    before: ({ member }) => ({ action: "TransactWriteItems", mentions: ["heldUntil", member.id] }),
    happens: async ({ team, member }) => {
      const path = `/teams/${team.id}/members/${member.id}`;
      const { token } = team.owner;
      expect(outcome(await api("DELETE", path, { token, json }))).toBe("202");
      await eventually(async () => expect((await api("GET", path, { token })).status).toBe(404));
    },
    outcome: "403 no-team-member",
  });
});

describe("the end of legal hold", () => {
  it("is reported again to a service that hears of an approval after the end", async () => {
    const { team, service, member } = await newPendingMember();
    const approveMeanwhile = async () => {
      expect(outcome(await approveLegalHold(team, member))).toBe("200");
      return {};
    };
    service.answer("/remove", approveMeanwhile, {});
    expect(outcome(await endLegalHold(team, member))).toBe("200");
    expect(await stateOf(team, member)).toEqual({ status: "disabled", devices: [] });
    expect(service.calls.at(-1)?.path).toBe("/remove");
  });

  for (const [title, answer, ended, status, approved] of [
    ["removes a device that is being added just then", {}, "200", "disabled", "412 legalhold-not-pending"],
    [
      "removes it even if the service cannot be told",
      { status: 400 },
      "412 legalhold-unavailable",
      "pending",
      "409 concurrent-change",
    ],
  ] as const) {
    overtaking(title, {
      given: async () => {
        const held = await newPendingMember();
        const { promise: isDecided, resolve: decide } = Promise.withResolvers<void>();
        held.service.answer("/remove", answer);
        held.service.answer("/confirm", () => isDecided.then(() => ({})));
        return { ...held, decide };
      },
      act: ({ team, member, decide }) => endLegalHold(team, member).finally(decide),
      before:
        () =>
        ({ action, body }) =>
          action !== "BatchGetItem" && body.includes("legal-hold-sessions"),
      // The approval waits for the service when the end goes on.
      happens: async ({ team, service, member }) => {
        const approval = approveLegalHold(team, member);
        await eventually(async () => expect(service.callsOf("/confirm")).toHaveLength(1));
        return { approval };
      },
      outcome: ended,
      holds: async ({ team, service, member }, { other }) => {
        expect(outcome(await other.approval)).toBe(approved);
        expect(await stateOf(team, member)).toEqual({ status, devices: [] });
        expect(await isUsable(tokensOf(service)[0])).toBe(false);
      },
    });
  }
});

describe("the removal of a service", () => {
  it("changes nothing that was set up after another removal", async () => {
    const { team, service, member } = await newMemberUnderHold();
    const second = await startLegalHoldService({ key: newServiceKey() });
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
    await holdMember({ team, member });
    isRebuilt.resolve();
    expect((await removals).map(outcome)).toEqual(["204", "204"]);
    const [device] = second.callsOf("/confirm").map(({ body }) => body.client_id);
    expect(await stateOf(team, member)).toEqual({ status: "enabled", devices: [device] });
    const { body } = await api("GET", settingsOf(team), { token: team.owner.token });
    expect(body.status).toBe("configured");
    expect(await legalHoldData().isEnding(team.id)).toBe(false);
  });
});

describe("the address of a service", () => {
  it("is refused with an empty fragment or query, a blank or a backslash", async () => {
    const { team, service } = await newHeldTeam();
    const { length } = service.calls;
    for (const suffix of ["/hold#", "/hold?", "/ho ld", "\\hold"]) {
      const registration = { ...service.registration, base_url: service.baseUrl + suffix };
      expect(outcome(await register(team, { ...service, registration }))).toBe("400 bad-request");
    }
    expect(service.calls).toHaveLength(length);
  });
});

describe("the guard of prekeys", () => {
  type Claim = (device: { userId: string; clientId: string }, token: string) => Promise<ApiAnswer>;
  const claims: Record<string, Claim> = {
    "of a device": ({ userId, clientId }, token) =>
      api("GET", `/users/${localDomain}/${userId}/prekeys/${clientId}`, { token }),
    "of several devices": ({ userId, clientId }, token) => {
      const wanted = { [localDomain]: { [userId]: [clientId] } };
      return api("POST", "/v3/users/list-prekeys", { token, json: wanted });
    },
  };

  for (const [kind, claim] of Object.entries(claims))
    overtaking(`also covers a device that is added after the check: ${kind}`, {
      given: async () => {
        const [held, stranger] = await Promise.all([newPendingMember(), newUser()]);
        const { token, id: userId } = held.member;
        const { client } = (await api("GET", legalHoldPath(held.team, held.member), { token })).body;
        return { ...held, stranger, userId, clientId: client.id as string };
      },
      act: ({ stranger, ...device }) => claim(device, stranger.token),
      after: () => ({ action: "BatchGetItem", mentions: '"devices"' }),
      happens: ({ team, member }) => approveLegalHold(team, member),
      holds: async ({ service, userId, clientId }, { answer, other }) => {
        expect(outcome(other)).toBe("200");
        if (kind === "of a device") expect(outcome(answer)).toBe("404 not-found");
        else expect(answer.body[localDomain][userId][clientId]).toBe(null);
        expect(service.callsOf("/confirm")).toHaveLength(1);
      },
    });
});

describe("the operator's login for a device", () => {
  overtaking("gives no cookie that outlives the device", {
    given: newMemberUnderHold,
    act: ({ member }) => {
      const login = { user: member.id, password: somePassword };
      return internalApi("POST", "/i/legalhold-login", { json: login });
    },
    before: () => ({ action: "TransactWriteItems", mentions: "legal-hold-sessions" }),
    happens: ({ team, member }) => endLegalHold(team, member),
    outcome: "409 concurrent-change",
    holds: async (_, { answer, other }) => {
      expect(outcome(other)).toBe("200");
      expect(answer.cookie).toBeUndefined();
    },
  });
});

describe("a device that a user registers", () => {
  it("cannot be taken for one of legal hold", async () => {
    const user = await newUser();
    const registered = await registerDevice(user, { class: "legalhold" });
    expect(outcome(registered)).toBe("400 client-error");
  });
});

/** Users in a conversation other than this one. */
const othersIn = async ({ qualified_id, id = qualified_id?.id }: ApiAnswer["body"], { token }: User) => {
  const { body } = await api("GET", `/v9/conversations/${localDomain}/${id}`, { token });
  return body.members.others.map((other: { id: string }) => other.id);
};

describe("a group with more members than a transaction adds", () => {
  overtaking(
    "loses those who have not consented when one of the last comes under legal hold while they are added",
    {
      given: async () => {
        const { team, member } = await newHeldTeam();
        const objecting = await team.add();
        const crowd = await addCrowd(team, { size: 47 });
        const { setStatus } = legalHoldData();
        for (const userId of [team.owner.id, ...crowd])
          await setStatus({ teamId: team.id, userId }, "disabled");
        const group = await newConversation([team.owner, objecting]);
        return { team, member, crowd, group };
      },
      act: ({ team, member, crowd, group }) => {
        const users = qualified(...crowd.map((id) => ({ id })), member);
        const path = `/v9/conversations/${localDomain}/${group.id}/members`;
        return api("POST", path, { token: team.owner.token, json: { qualified_users: users } });
      },
      before: ({ group }) => ({ action: "TransactWriteItems", mentions: group.id }),
      happens: holdMember,
      outcome: "200",
      holds: ({ team, member, crowd, group }) =>
        eventually(
          async () =>
            expect(new Set(await othersIn(group, member))).toEqual(new Set([team.owner.id, ...crowd])),
          { timeoutSeconds: 10 },
        ),
    },
  );

  overtaking(
    "loses those who have not consented when another one comes under legal hold while it is created",
    {
      given: async () => {
        const { team, member } = await newHeldTeam();
        expect(outcome(await consentToLegalHold(team, team.owner))).toBe("201");
        return { team, member, crowd: await addCrowd(team, { size: 45 }) };
      },
      act: ({ team, member, crowd }) =>
        createConversation(team.owner, { with: [...crowd.map((id) => ({ id })), member], in: team }),
      before: ({ crowd }) => ({ action: "BatchWriteItem", mentions: crowd[0] ?? "" }),
      happens: async ({ team, member }) => {
        await holdMember({ team, member });
        await eventually(async () => {
          const { outbox = [] } = await itemsMentioning(member.id, sharedPrefix, ["outbox"]);
          expect(JSON.stringify(outbox)).not.toContain("settle-legal-hold");
        });
      },
      outcome: "201",
      holds: ({ team, member }, { answer }) =>
        eventually(async () => expect(await othersIn(answer.body, member)).toEqual([team.owner.id])),
    },
  );
});
