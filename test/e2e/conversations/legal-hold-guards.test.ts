import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { createConversation, newConversation, qualified } from "../../support/conversations.ts";
import { registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { legalHoldDeviceId, setLegalHold } from "../../support/legal-hold-status.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const refused = "403 missing-legalhold-consent";
/** Leaves connections and groups as they are, as in the moment after a status has changed. */
const isSettled = false;

interface Cast {
  readonly team: Team;
  readonly held: User;
  readonly consenting: User;
  readonly objecting: User;
}

/** A team whose owner has consented, with a member under legal hold, one who has consented, and one who has not. */
async function newCast(): Promise<Cast> {
  const team = await newTeam();
  const [held, consenting, objecting] = await Promise.all([team.add(), team.add(), team.add()]);
  await Promise.all([
    setLegalHold(held, "enabled", { isSettled }),
    setLegalHold(consenting, "disabled", { isSettled }),
    setLegalHold(team.owner, "disabled", { isSettled }),
  ]);
  return { team, held, consenting, objecting };
}

let cast: Cast;
beforeAll(async () => {
  cast = await newCast();
});

const addMembers = ({ token }: User, { id }: { id: string }, ...users: User[]) =>
  api("POST", `/conversations/${localDomain}/${id}/members`, {
    token,
    json: { qualified_users: qualified(...users) },
  });

const memberIds = async ({ id }: { id: string }, { token }: User): Promise<string[]> => {
  const { body } = await api("GET", `/conversations/${localDomain}/${id}`, { token });
  return [body.members.self, ...body.members.others].map((member) => member.id).sort();
};
const idsOf = (...users: User[]) => users.map(({ id }) => id).sort();

const join = ({ token }: User, { id }: { id: string }) => api("POST", `/conversations/${id}/join`, { token });

describe.concurrent("a new conversation", () => {
  it("is refused with a user under legal hold and one who has not consented, even if either is the creator", async () => {
    const { team, held, consenting, objecting } = cast;
    const create = async (creator: User, ...users: User[]) =>
      outcome(await createConversation(creator, { with: users, in: team }));
    expect(await create(team.owner, held, objecting)).toBe(refused);
    expect(await create(objecting, held)).toBe(refused);
    expect(await create(held, objecting)).toBe(refused);
    expect(await create(team.owner, held, consenting)).toBe("201");
    expect(await create(objecting, consenting)).toBe("201");
  });

  it("is refused as a one-to-one conversation of two such users", async () => {
    const { team, held, consenting, objecting } = cast;
    const create = async ({ token }: User, peer: User) =>
      outcome(
        await api("POST", "/v8/one2one-conversations", {
          token,
          json: { qualified_users: qualified(peer), team: { teamid: team.id } },
        }),
      );
    expect(await create(team.owner, held)).toBe("201");
    expect(await create(held, objecting)).toBe(refused);
    expect(await create(objecting, held)).toBe(refused);
    expect(await create(consenting, objecting)).toBe("201");
  });

  it("is settled if a member is concurrently put under legal hold", async () => {
    const team = await newTeam();
    const [pending, objecting] = await Promise.all([team.add(), team.add()]);
    await setLegalHold(team.owner, "disabled", { isSettled });
    await setLegalHold(pending, "pending", { isSettled });
    const [created] = await Promise.all([
      createConversation(team.owner, { with: [pending, objecting], in: team }),
      setLegalHold(pending, "enabled"),
    ]);
    if (created.status !== 201) return expect(outcome(created)).toBe(refused);
    await eventually(async () =>
      expect(await memberIds(created.body, team.owner)).toEqual(idsOf(team.owner, pending)),
    );
  });
});

describe.concurrent("adding members", () => {
  it("is refused without their consent in a group with somebody under legal hold", async () => {
    const { team, held, consenting, objecting } = cast;
    const group = await newConversation([team.owner, held], { team });
    expect(outcome(await addMembers(team.owner, group, consenting, objecting))).toBe(refused);
    expect(await memberIds(group, held)).toEqual(idsOf(team.owner, held));
    expect(outcome(await addMembers(team.owner, group, consenting))).toBe("200");
  });

  it("is refused if one of them is under legal hold and another has not consented", async () => {
    const { team, held, objecting } = cast;
    const group = await newConversation([team.owner], { team });
    expect(outcome(await addMembers(team.owner, group, held, objecting))).toBe(refused);
  });

  it("who are under legal hold removes those who have not consented, if an admin has", async () => {
    const { team, held, consenting, objecting } = cast;
    const stranger = await newUser();
    const group = await newConversation([team.owner, objecting, stranger], { team });
    expect(outcome(await addMembers(team.owner, group, held, consenting))).toBe("200");
    expect(await memberIds(group, held)).toEqual(idsOf(team.owner, held, consenting));

    const leaves = await eventually(async () => {
      const { body } = await api("GET", "/notifications?size=1000", stranger);
      const found = body.notifications
        .flatMap(({ payload }: { payload: unknown[] }) => payload)
        .filter(
          ({ type, conversation }: Record<string, string>) =>
            type === "conversation.member-leave" && conversation === group.id,
        );
      expect(found).toHaveLength(2);
      return found;
    });
    for (const leave of leaves)
      expect(leave).toMatchObject({ from: team.owner.id, data: { reason: "removed" } });
  });

  it("who are under legal hold is refused if no admin has consented", async () => {
    const { team, held, consenting, objecting } = cast;
    const group = await newConversation([objecting, consenting], {
      team,
      roles: { [consenting.id]: "member" },
    });
    expect(outcome(await addMembers(objecting, group, held))).toBe(refused);
    expect(await memberIds(group, objecting)).toEqual(idsOf(objecting, consenting));
  });

  it("may remove more members than fit into one transaction", async () => {
    const team = await newTeam();
    const [held, ...others] = await Promise.all(Array.from({ length: 30 }, () => team.add()));
    if (held === undefined) throw new Error("no member");
    await setLegalHold(team.owner, "disabled", { isSettled });
    await setLegalHold(held, "enabled", { isSettled });
    const group = await newConversation([team.owner, ...others], { team });
    expect(outcome(await addMembers(team.owner, group, held))).toBe("200");
    expect(await memberIds(group, held)).toEqual(idsOf(team.owner, held));
  });
});

describe.concurrent("joining a conversation", () => {
  it("is refused to users whom legal hold separates from the members", async () => {
    const { team, held, consenting, objecting } = cast;
    const open = { team, access: ["invite", "link"] as ("invite" | "link")[] };
    const [withHeld, withObjecting] = await Promise.all([
      newConversation([team.owner, held], open),
      newConversation([objecting], open),
    ]);
    expect(outcome(await join(objecting, withHeld))).toBe("403 access-denied");
    expect(outcome(await join(consenting, withHeld))).toBe("200");
    expect(outcome(await join(held, withObjecting))).toBe("403 access-denied");
    expect(outcome(await join(consenting, withObjecting))).toBe("200");
  });
});

const send = (user: User, sender: string, { id }: { id: string }) =>
  api("POST", `/conversations/${id}/otr/messages`, {
    token: user.token,
    json: { sender, recipients: {} },
  });
const broadcast = (user: User, sender: string) =>
  api("POST", "/broadcast/otr/messages", { token: user.token, json: { sender, recipients: {} } });

async function deviceOf(user: User, stack?: OwnStack): Promise<string> {
  const { body } = await registerDevice(user, {}, stack && { publicApi: stack.publicApi });
  return body.id;
}

describe.concurrent("sending a message", () => {
  it("is refused while one member is under legal hold and another has not consented, before devices are compared", async () => {
    const { team, held, consenting, objecting } = await newCast();
    const everybody = await newConversation([team.owner, held, consenting, objecting], { team });
    const willing = await newConversation([team.owner, held, consenting], { team });
    const [ofHeld, ofConsenting, ofObjecting] = await Promise.all(
      [held, consenting, objecting].map((user) => deviceOf(user)),
    );
    for (const [user, device] of [
      [held, ofHeld],
      [consenting, ofConsenting],
      [objecting, ofObjecting],
    ] as [User, string][]) {
      expect(outcome(await send(user, device, everybody))).toBe(refused);
      if (user !== objecting) expect((await send(user, device, willing)).status).toBe(412);
      expect(outcome(await send(user, "ffff", everybody))).toBe("403 unknown-client");
    }

    await setLegalHold(held, "disabled");
    expect((await send(objecting, String(ofObjecting), everybody)).status).toBe(412);
  });

  it("is refused with personal users, and as a broadcast", async () => {
    const { team, held } = cast;
    const stranger = await newUser();
    const group = await newConversation([team.owner, held, stranger]);
    expect(outcome(await send(stranger, await deviceOf(stranger), group))).toBe(refused);
    expect(outcome(await broadcast(team.owner, await deviceOf(team.owner)))).toBe(refused);
  });

  it("is refused in the one-to-one conversation of two members of a team, but both stay in it", async () => {
    const team = await newTeam();
    const [member, objecting] = await Promise.all([team.add(), team.add()]);
    const json = { qualified_users: qualified(objecting), team: { teamid: team.id } };
    const created = await api("POST", "/v8/one2one-conversations", { token: member.token, json });
    const oneToOne = { id: created.body.id };
    const [ofMember, ofObjecting] = await Promise.all([deviceOf(member), deviceOf(objecting)]);
    await setLegalHold(member, "enabled");
    expect(outcome(await send(member, ofMember, oneToOne))).toBe(refused);
    expect(outcome(await send(objecting, ofObjecting, oneToOne))).toBe(refused);
    expect(await memberIds(oneToOne, objecting)).toEqual(idsOf(member, objecting));
    await setLegalHold(member, "disabled");
    expect((await send(objecting, ofObjecting, oneToOne)).status).toBe(412);
  });

  it("also reaches bots, which need not consent", async () => {
    const { team, held } = await newCast();
    const bot = await newUser();
    const group = await newConversation([team.owner, held, bot], {
      team,
      services: { [bot.id]: { id: team.id, provider: team.id } },
    });
    expect((await send(team.owner, await deviceOf(team.owner), group)).status).toBe(412);
  });
});

describe.concurrent("claiming prekeys", () => {
  type Claim = (claimer: User, target: User) => ReturnType<typeof api>;
  const claims: Record<string, Claim> = {
    "of a user": ({ token }, { id }) => api("GET", `/users/${localDomain}/${id}/prekeys`, { token }),
    "of a device": ({ token }, { id }) =>
      api("GET", `/users/${localDomain}/${id}/prekeys/${legalHoldDeviceId}`, { token }),
    "of several devices": ({ token }, { id }) =>
      api("POST", "/v8/users/list-prekeys", {
        token,
        json: { [localDomain]: { [id]: [legalHoldDeviceId] } },
      }),
  };

  it.each(Object.keys(claims))("%s is refused to users whom legal hold separates", async (kind) => {
    const claim = claims[kind] as Claim;
    const { held, consenting, objecting } = cast;
    expect(outcome(await claim(objecting, held))).toBe(refused);
    expect(outcome(await claim(held, objecting))).toBe(refused);
    expect(outcome(await claim(consenting, held))).not.toBe(refused);
    expect(outcome(await claim(consenting, objecting))).not.toBe(refused);
  });
});

describe.concurrent("claiming key packages", () => {
  it("is refused with 409 mls-legal-hold-not-allowed once legal hold is requested", async () => {
    const team = await newTeam();
    const pending = await team.add();
    await setLegalHold(pending, "pending");
    const claim = await api("POST", `/v8/mls/key-packages/claim/${localDomain}/${pending.id}?ciphersuite=1`, {
      token: team.owner.token,
    });
    expect(outcome(claim)).toBe("409 mls-legal-hold-not-allowed");
  });
});

describe.concurrent("a new connection", () => {
  it("is refused between a user under legal hold and one who has not consented", async () => {
    const { held, consenting } = cast;
    const stranger = await newUser();
    const connect = async ({ token }: User, { id }: User) =>
      outcome(await api("POST", `/connections/${localDomain}/${id}`, { token }));
    expect(await connect(held, stranger)).toBe(refused);
    expect(await connect(stranger, held)).toBe(refused);
    expect(await connect(stranger, consenting)).toBe("201");
  });

  it("cannot be accepted when legal hold has begun since the request", async () => {
    const team = await newTeam();
    const [member, stranger] = await Promise.all([team.add(), newUser()]);
    await api("POST", `/connections/${localDomain}/${member.id}`, { token: stranger.token });
    await setLegalHold(member, "enabled", { isSettled });
    const accept = (status: string) =>
      api("PUT", `/connections/${localDomain}/${stranger.id}`, { token: member.token, json: { status } });
    expect(outcome(await accept("accepted"))).toBe(refused);
    expect(outcome(await accept("ignored"))).toBe("200");
  });

  it("is set aside or refused when legal hold begins at the same time", async () => {
    const team = await newTeam();
    const [member, stranger] = await Promise.all([team.add(), newUser()]);
    const [made] = await Promise.allSettled([
      connectUsers(stranger, member),
      setLegalHold(member, "enabled"),
    ]);
    const { body, status } = await api("GET", `/connections/${localDomain}/${member.id}`, {
      token: stranger.token,
    });
    if (status === 404) return expect(made.status).toBe("rejected");
    expect(body.from).toBe(stranger.id);
    await eventually(async () => {
      const own = await api("GET", `/connections/${localDomain}/${member.id}`, { token: stranger.token });
      expect(own.body.status).toBe("missing-legalhold-consent");
    });
  });
});

describe.concurrent("the internal check of a policy conflict", () => {
  const check = async (glhProtectee: unknown, ...others: User[]) =>
    outcome(
      await internalApi("PUT", "/i/guard-legalhold-policy-conflicts", {
        json: { glhProtectee, glhUserClients: Object.fromEntries(others.map(({ id }) => [id, ["1"]])) },
      }),
    );
  const user = ({ id }: User) => ({ tag: "ProtectedUser", contents: id });

  it("tells whether legal hold separates users", async () => {
    const { held, consenting, objecting } = cast;
    expect(await check(user(objecting), held)).toBe(refused);
    expect(await check(user(held), objecting)).toBe(refused);
    expect(await check(user(consenting), held)).toBe("200");
    expect(await check(user(consenting), objecting)).toBe("200");
    expect(await check({ tag: "UnprotectedBot" }, held, objecting)).toBe("200");
  });

  it("refuses malformed requests", async () => {
    expect(await check({ tag: "ProtectedUser" })).toBe("400 bad-request");
    expect(await check({ tag: "Nobody" })).toBe("400 bad-request");
  });
});

describe.concurrent("a profile", () => {
  it("shows the status of legal hold", async () => {
    const { held, consenting, objecting } = cast;
    const statusOf = async ({ id }: User) =>
      (await api("GET", `/users/${localDomain}/${id}`, { token: objecting.token })).body.legalhold_status;
    expect(await Promise.all([held, consenting, objecting].map(statusOf))).toEqual([
      "enabled",
      "disabled",
      "no_consent",
    ]);
  });
});

describe("where legal hold is ruled out", () => {
  it("messages are sent without a check", async () => {
    const stack = await stackWith({ legalhold: "disabled-permanently" });
    const team = await newTeam({}, stack);
    const [held, objecting] = await Promise.all([team.add(), team.add()]);
    await setLegalHold(held, "enabled", { isSettled, prefix: stack.prefix });
    const device = await deviceOf(objecting, stack);
    const claim = await stack.publicApi("GET", `/users/${localDomain}/${held.id}/prekeys`, objecting);
    expect(outcome(claim)).toBe("200");
    expect(
      (
        await stack.publicApi("POST", "/broadcast/otr/messages", {
          token: objecting.token,
          json: { sender: device, recipients: {} },
        })
      ).status,
    ).toBe(412);
  });
});

describe("where the operator lists the teams with legal hold", () => {
  it("members of a listed team count as consenting, both in their profiles and for others", async () => {
    const stack = await stackWith({ legalhold: "whitelist-teams-and-implicit-consent" });
    const [team, unlisted] = await Promise.all([newTeam({}, stack), newTeam({}, stack)]);
    const [held, member] = await Promise.all([team.add(), team.add()]);
    await connectUsers(member, unlisted.owner, stack);
    await stack.internalApi("PUT", `/i/legalhold/whitelisted-teams/${team.id}`);
    await setLegalHold(held, "enabled", { isSettled, prefix: stack.prefix });

    const statusOf = async ({ id }: User) =>
      (await stack.publicApi("GET", `/users/${localDomain}/${id}`, { token: held.token })).body
        .legalhold_status;
    expect(await Promise.all([held, member, unlisted.owner].map(statusOf))).toEqual([
      "enabled",
      "disabled",
      "no_consent",
    ]);
    const create = async (...users: User[]) =>
      outcome(await createConversation(member, { with: users }, stack));
    expect(await create(held)).toBe("201");
    expect(await create(unlisted.owner)).toBe("201");
    expect(await create(held, unlisted.owner)).toBe(refused);
  });
});
