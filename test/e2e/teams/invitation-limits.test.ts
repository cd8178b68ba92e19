import { beforeAll, describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { accept, type Invitation, invite, newInvitation } from "../../support/invitations.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newEmail, newUser, register, somePassword, type User } from "../../support/users.ts";

/** Teams of up to four members, invitations valid for an hour, and registration only for invitees. */
let small: OwnStack;
/** A stack with limits on invitations and look-ups. */
let limited: OwnStack;
beforeAll(async () => {
  [small, limited] = await Promise.all([
    stackWith({ maxTeamSize: 4, setTeamInvitationTimeout: 3600, setRestrictUserCreation: true }),
    stackWith(
      {
        setTeamInvitationRateLimit: {
          perInviter: { burst: 4, refillSeconds: 3600 },
          perNetwork: { burst: 100, refillSeconds: 3600 },
          perAddress: { burst: 2, refillSeconds: 3600 },
          lookupsPerNetwork: { burst: 2, refillSeconds: 3600 },
        },
        setTeamInvitationDailyBudget: 5,
      },
      { isClockStopped: true },
    ),
  ]);
});

const registerWith = ({ code, email }: Invitation, apis: OwnStack = small) =>
  register({ email, password: somePassword, team_code: code }, apis);
const membersOf = async (team: Team, apis: OwnStack = small): Promise<string[]> => {
  const { body } = await apis.publicApi("GET", `/teams/${team.id}/members`, { token: team.owner.token });
  return body.members.map(({ user }: { user: string }) => user);
};
const pendingOf = async (team: Team, apis: OwnStack = small): Promise<string[]> => {
  const path = `/teams/${team.id}/invitations`;
  const { body } = await apis.publicApi("GET", path, { token: team.owner.token });
  return body.invitations.map(({ id }: { id: string }) => id);
};
const countOf = (outcomes: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(outcomes, (one) => one)].map(([one, all]) => [one, all.length]));

describe.concurrent("an invitation", () => {
  it("makes one member, however many concurrently register or accept with it", async () => {
    const team = await newTeam({}, small);
    const invitation = await newInvitation(team, {}, small);
    const attempts = await Promise.all(Array.from({ length: 20 }, () => registerWith(invitation)));
    const outcomes = countOf(attempts.map(outcome));
    expect(outcomes["201"]).toBe(1);
    const refusals = ["400 invalid-invitation-code", "409 key-exists"];
    expect(Object.keys(outcomes).filter((one) => !refusals.includes(one))).toEqual(["201"]);
    expect((await membersOf(team)).sort()).toEqual([team.owner.id, invitation.id].sort());
    expect(await pendingOf(team)).toEqual([]);
  });

  it("makes an existing user a member only once, even if the user concurrently accepts two of them", async () => {
    const [team, other, ada] = await Promise.all([
      newTeam({}, small),
      newTeam({}, small),
      newUser({}, small),
    ]);
    const invitations = [
      await newInvitation(team, { email: ada.email }, small),
      await newInvitation(team, { email: ada.email }, small),
      await newInvitation(other, { email: ada.email }, small),
    ];
    const attempts = await Promise.all(
      invitations.flatMap(({ code }) => Array.from({ length: 7 }, () => accept(ada, code, small))),
    );
    expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
    const refusals = ["400 invalid-invitation-code", "403 cannot-join-multiple-teams", "200"];
    expect(attempts.map(outcome).filter((one) => !refusals.includes(one))).toEqual([]);
    const members = [...(await membersOf(team)), ...(await membersOf(other))];
    expect(members.filter((id) => id === ada.id)).toHaveLength(1);
    expect(members).toHaveLength(3);
  });

  it("that is refused to its sender costs the sender's network nothing", async () => {
    const stack = await stackWith(
      {
        setTeamInvitationRateLimit: {
          perInviter: { burst: 1, refillSeconds: 3600 },
          perNetwork: { burst: 2, refillSeconds: 3600 },
        },
      },
      { isClockStopped: true },
    );
    const [greedy, modest] = await Promise.all([newTeam({}, stack), newTeam({}, stack)]);
    expect((await invite(greedy, {}, { apis: stack })).status).toBe(201);
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(outcome(await invite(greedy, {}, { apis: stack }))).toBe("429 too-many-requests");
    }
    expect((await invite(modest, {}, { apis: stack })).status).toBe(201);
  });

  it("is either revoked or accepted", async () => {
    const team = await newTeam({}, small);
    const invitation = await newInvitation(team, {}, small);
    const path = `/teams/${team.id}/invitations/${invitation.id}`;
    const [revoked, registered] = await Promise.all([
      small.publicApi("DELETE", path, { token: team.owner.token }),
      registerWith(invitation),
    ]);
    expect(revoked.status).toBe(200);
    expect(["201", "400 invalid-invitation-code"]).toContain(outcome(registered));
    expect(await membersOf(team)).toHaveLength(registered.status === 201 ? 2 : 1);
    expect(await pendingOf(team)).toEqual([]);
  });

  it("cannot be accepted once the team is full, and only one invitation takes its last place", async () => {
    const team = await newTeam({}, small);
    await team.add();
    const people = await Promise.all(Array.from({ length: 2 }, () => newUser({}, small)));
    const invitations: Invitation[] = [];
    for (const { email } of [...people, { email: newEmail() }, { email: newEmail() }])
      invitations.push(await newInvitation(team, { email }, small));
    await team.add();
    const [one, two, three, four] = invitations as [Invitation, Invitation, Invitation, Invitation];
    const [ada, bob] = people as [User, User];
    const attempts = await Promise.all([
      accept(ada, one.code, small),
      accept(bob, two.code, small),
      registerWith(three),
      registerWith(four),
    ]);
    const isJoined = ({ status }: { status: number }) => status < 300;
    expect(attempts.filter(isJoined)).toHaveLength(1);
    for (const refused of attempts.filter((answer) => !isJoined(answer)))
      expect(outcome(refused)).toBe("403 too-many-team-members");
    expect(await membersOf(team)).toHaveLength(4);
  });

  it("counts towards the limit of the team, however many are sent concurrently", async () => {
    const team = await newTeam({}, small);
    const attempts = await Promise.all(Array.from({ length: 10 }, () => invite(team, {}, { apis: small })));
    expect(countOf(attempts.map(outcome))).toEqual({ "201": 4, "403 too-many-team-invitations": 6 });
    const [pending = ""] = await pendingOf(team);
    const path = `/teams/${team.id}/invitations/${pending}`;
    await small.publicApi("DELETE", path, { token: team.owner.token });
    expect((await invite(team, {}, { apis: small })).status).toBe(201);
    expect(outcome(await invite(team, {}, { apis: small }))).toBe("403 too-many-team-invitations");
  });

  it("allows its address to register where nobody else may", async () => {
    const team = await newTeam({}, small);
    const invitation = await newInvitation(team, {}, small);
    const stranger = await register({ email: newEmail(), password: somePassword }, small);
    expect(outcome(stranger)).toBe("403 user-creation-restricted");
    expect((await registerWith(invitation)).status).toBe(201);
  });
});

describe("an expired invitation", () => {
  it("can be neither accepted nor found", async () => {
    const [team, ada] = await Promise.all([newTeam({}, small), newUser({}, small)]);
    const invitation = await newInvitation(team, {}, small);
    const forAda = await newInvitation(team, { email: ada.email }, small);
    small.advance(3601);
    const access = await small.publicApi("POST", "/access", { cookie: ada.cookie });
    const owner = await small.publicApi("POST", "/access", { cookie: team.owner.cookie });
    const token = owner.body.access_token;
    const refused = "400 invalid-invitation-code";
    expect(outcome(await registerWith(invitation))).toBe(refused);
    expect(outcome(await accept({ ...ada, token: access.body.access_token }, forAda.code, small))).toBe(
      refused,
    );
    const info = await small.publicApi("GET", `/teams/invitations/info?code=${invitation.code}`);
    expect(outcome(info)).toBe(refused);
    const path = `/teams/${team.id}/invitations`;
    expect((await small.publicApi("GET", path, { token })).body.invitations).toEqual([]);
    expect(outcome(await small.publicApi("GET", `${path}/${invitation.id}`, { token }))).toBe(
      "404 not-found",
    );
    expect((await small.publicApi("DELETE", `${path}/${invitation.id}`, { token })).status).toBe(200);
    const query = new URLSearchParams({ email: invitation.email });
    expect((await small.publicApi("HEAD", `/teams/invitations/by-email?${query}`)).status).toBe(404);
  });
});

describe("the limits on mails", () => {
  it("apply to one address, even if each invitation is revoked", async () => {
    const team = await newTeam({}, limited);
    const email = newEmail();
    for (let count = 0; count < 2; count++) {
      const { body } = await invite(team, { email }, { apis: limited });
      const path = `/teams/${team.id}/invitations/${body.id}`;
      expect((await limited.publicApi("DELETE", path, { token: team.owner.token })).status).toBe(200);
    }
    const refused = await invite(team, { email }, { apis: limited });
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1800);
    expect((await invite(team, {}, { apis: limited })).status).toBe(201);
  });

  it("apply to one inviter, and to one team", async () => {
    const team = await newTeam({}, limited);
    const admin = await team.add("admin");
    const send = async (by: User) => outcome(await invite(team, {}, { by, apis: limited }));
    for (let count = 0; count < 4; count++) expect(await send(team.owner)).toBe("201");
    expect(await send(team.owner)).toBe("429 too-many-requests");
    expect(await send(admin)).toBe("201");
    expect(await send(admin)).toBe("429 too-many-requests");
  });

  it("cannot be used up by users outside the team", async () => {
    const [team, stranger] = await Promise.all([newTeam({}, limited), newUser({}, limited)]);
    for (let count = 0; count < 6; count++) await invite(team, {}, { by: stranger, apis: limited });
    expect((await invite(team, {}, { apis: limited })).status).toBe(201);
  });

  it("apply to look-ups of whether an address is invited", async () => {
    const ask = async () => {
      const query = new URLSearchParams({ email: newEmail() });
      return (await limited.publicApi("HEAD", `/teams/invitations/by-email?${query}`)).status;
    };
    expect([await ask(), await ask(), await ask()]).toEqual([404, 404, 429]);
  });
});

describe("the links of invitations", () => {
  it("are shown to members who may invite, while the team is on the operator's list and has the feature enabled", async () => {
    const team = await newTeam({}, small);
    const ada = await newUser({}, small);
    const feature = `/teams/${team.id}/features/exposeInvitationURLsToTeamAdmin`;
    const switchOn = { token: team.owner.token, json: { status: "enabled" } };
    expect(outcome(await small.publicApi("PUT", feature, switchOn))).toBe("409 feature-locked");
    const listing = await stackWith({
      exposeInvitationURLsTeamAllowlist: [team.id],
      setTeamInvitationUrls: { existingUser: "https://teams.example.com/accept/?team={team}&code={code}" },
    });
    expect((await listing.publicApi("PUT", feature, switchOn)).status).toBe(200);
    const [one, two] = [
      await newInvitation(team, {}, listing),
      await newInvitation(team, { email: ada.email }, listing),
    ];
    const links: Record<string, string> = {
      [one.id]: `${listing.publicUrl}/activate/join?team-code=${one.code}`,
      [two.id]: `https://teams.example.com/accept/?team=${team.id}&code=${two.code}`,
    };
    const path = `/teams/${team.id}/invitations`;
    const { token } = team.owner;
    const listed = await listing.publicApi("GET", path, { token });
    expect(listed.body.invitations).toHaveLength(2);
    for (const { id, url } of listed.body.invitations) expect(url).toBe(links[id]);
    const single = await listing.publicApi("GET", `${path}/${two.id}`, { token });
    expect(single.body.url).toBe(`${listing.publicUrl}/activate/join?team-code=${two.code}`);
    const info = await listing.publicApi("GET", `/teams/invitations/info?code=${one.code}`);
    expect(info.body).not.toHaveProperty("url");
    const delisted = await small.publicApi("GET", path, { token });
    for (const invitation of delisted.body.invitations) expect(invitation).not.toHaveProperty("url");
  });
});
