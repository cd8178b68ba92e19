import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { newSsoTeam, registeredProvider } from "../../support/identity-providers.ts";
import { nextMessage } from "../../support/messages.ts";
import { type PageVisitor, pageVisitor } from "../../support/page-visitor.ts";
import { newIdentityProvider } from "../../support/saml.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team, teamWithSecondFactor } from "../../support/teams.ts";
import { newEmail, newUser, type User } from "../../support/users.ts";

const paths = {
  members: "/account/team/members",
  member: "/account/team/member",
  invitations: "/account/team/invitations",
  features: "/account/team-features",
  providers: "/account/team-login/providers",
  tokens: "/account/team-directory/tokens",
  audit: "/account/team-audit",
};
const forAdmins = [paths.members, paths.invitations, paths.features, paths.providers];
const forOwners = [paths.tokens, paths.audit];

async function logIn({ email, password }: User, stack?: { publicUrl: string }): Promise<PageVisitor> {
  const visitor = pageVisitor(stack);
  await visitor.open("/account/profile");
  const page = await visitor.submit("/account/login", { identity: email, password });
  expect(page.heading).toBe("Profile");
  return visitor;
}

/** A browser in which a page of a team is open. */
async function openAs(user: User, path: string): Promise<PageVisitor> {
  const visitor = await logIn(user);
  expect((await visitor.open(path)).status).toBe(200);
  return visitor;
}

const roleOf = async (team: Team, { id }: User): Promise<number> => {
  const { body } = await api("GET", `/teams/${team.id}/members/${id}`, { token: team.owner.token });
  return body.permissions?.self;
};
const masks = { owner: 8191, admin: 5951, member: 1587 };

/** Records of a team that show what an admin has done. */
const eventsOf = async (team: Team): Promise<string[]> => {
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const { body } = await internalApi("GET", `/i/audit?team=${team.id}&from=${from}`);
  return body.records
    .filter(({ actor }: { actor: { user?: string } }) => actor.user === team.owner.id)
    .map(({ event, error }: { event: string; error?: string }) =>
      error === undefined ? event : `${event}!`,
    );
};

describe.concurrent("the pages of a team", () => {
  it("open to admins and owners only, and a link leads to them", async () => {
    const team = await newTeam();
    const [admin, member, stranger] = await Promise.all([team.add("admin"), team.add(), newUser()]);
    const [owner, ofAdmin] = await Promise.all([logIn(team.owner), logIn(admin)]);
    for (const path of [...forAdmins, ...forOwners]) expect((await owner.open(path)).status).toBe(200);
    for (const path of forAdmins) expect((await ofAdmin.open(path)).status).toBe(200);
    for (const path of forOwners) expect((await ofAdmin.open(path)).location).toBe("/account/profile");
    const link = 'href="/account/team/members"';
    expect((await ofAdmin.open("/account/profile")).text).toContain(link);
    const { text } = await ofAdmin.open(paths.members);
    expect([text.includes(paths.features), text.includes(paths.tokens)]).toEqual([true, false]);

    for (const user of [member, stranger]) {
      const visitor = await logIn(user);
      expect((await visitor.open("/account/profile")).text).not.toContain(link);
      for (const path of [...forAdmins, ...forOwners, "/account/team/file"])
        expect((await visitor.open(path)).location).toBe("/account/profile");
    }
    for (const path of [paths.members, "/account/team/file"])
      expect((await pageVisitor().open(path)).location).toBe("/account/profile");
  });

  it("load nothing, cannot be framed and are stored nowhere", async () => {
    const team = await newTeam({ name: "<b>" });
    await team.add("member", { name: "<script>alert(1)</script>" });
    const visitor = await logIn(team.owner);
    const { headers, text } = await visitor.open(paths.members);
    expect(text).not.toContain("<script");
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("ignore forms of other sites, of other sessions, and of sessions that have ended", async () => {
    const team = await newTeam();
    const member = await team.add();
    const visitor = await openAs(team.owner, paths.invitations);
    const fields = { user: member.id, role: "admin" };
    const change = "/account/team/role";
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example.com" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) expect((await visitor.post(change, fields, { headers })).status).toBe(400);
    const attacker = await openAs(await team.add("admin"), paths.invitations);
    const token = attacker.formToken();
    for (const forged of [token, "forged"])
      expect((await visitor.post(change, fields, { token: forged })).location).toBe(paths.members);
    const own = visitor.formToken();
    const cookie = visitor.cookies.get("account-session") ?? "";
    await visitor.open("/account/profile");
    await visitor.submit("/account/logout");
    visitor.cookies.set("account-session", cookie);
    expect((await visitor.post(change, fields, { token: own })).location).toBe("/account/profile");
    expect(await roleOf(team, member)).toBe(masks.member);
  });

  it("do nothing once the admin is no longer one", async () => {
    const team = await newTeam();
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const visitor = await openAs(admin, paths.invitations);
    const owner = await openAs(team.owner, paths.invitations);
    const demoted = await owner.submit("/account/team/role", { user: admin.id, role: "member" });
    expect(demoted.note).toBe("The role is changed.");
    const late = await visitor.post("/account/team/role", { user: member.id, role: "admin" });
    expect(late.location).toBe("/account/profile");
    expect(await roleOf(team, member)).toBe(masks.member);
  });

  it("never show or change another team", async () => {
    const [team, other] = await Promise.all([newTeam(), newSsoTeam()]);
    const [theirs, { id: provider }] = await Promise.all([
      other.add("member", { name: "Somebody else’s" }),
      registeredProvider(other, { query: { api_version: "v2" } }),
    ]);
    const { body: invitation } = await api("POST", `/teams/${other.id}/invitations`, {
      token: other.owner.token,
      json: { email: newEmail(), role: "member" },
    });
    const { body: created } = await api("POST", "/scim/auth-tokens", {
      token: other.owner.token,
      json: { description: "theirs", password: other.owner.password },
    });
    const visitor = await openAs(team.owner, paths.invitations);
    expect((await visitor.open(`${paths.member}?user=${theirs.id}`)).location).toBe(paths.members);
    const { password } = team.owner;
    const attempts: [string, Record<string, string>][] = [
      ["/account/team/role", { user: theirs.id, role: "owner" }],
      ["/account/team/removal", { user: theirs.id, password }],
      ["/account/team/withdrawal", { invitation: invitation.id }],
      ["/account/team-login/removal", { provider }],
      ["/account/team-directory/revocation", { token: created.info.id }],
    ];
    await visitor.open(paths.invitations);
    for (const [path, fields] of attempts) expect((await visitor.post(path, fields)).status).toBe(303);
    expect(await roleOf(other, theirs)).toBe(masks.member);
    const { token } = other.owner;
    const invitations = await api("GET", `/teams/${other.id}/invitations`, { token });
    expect(invitations.body.invitations).toHaveLength(1);
    expect(outcome(await api("GET", `/identity-providers/${provider}`, { token }))).toBe("200");
    expect((await api("GET", "/scim/auth-tokens", { token })).body.tokens).toHaveLength(1);
    for (const path of [...forAdmins, ...forOwners])
      expect((await visitor.open(path)).text).not.toMatch(/Somebody else|theirs/);
  });
});

describe.concurrent("members on the page", () => {
  it("are listed with names, addresses and roles, page by page", async () => {
    const team = await newTeam();
    const users = await Promise.all(Array.from({ length: 51 }, () => team.add()));
    const visitor = await logIn(team.owner);
    const first = await visitor.open(paths.members);
    const next = /href="(\/account\/team\/members\?after=[^"]+)"/.exec(first.text)?.[1] ?? "";
    const second = await visitor.open(next);
    const all = first.text + second.text;
    for (const { email } of users) expect(all).toContain(`Member · ${email}`);
    expect(all).toContain(`Owner · ${team.owner.email}`);
    expect(second.text).not.toContain("?after=");
  });

  it("get another role from somebody who may give it", async () => {
    const team = await newTeam();
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const visitor = await openAs(team.owner, `${paths.member}?user=${member.id}`);
    const changed = await visitor.submit("/account/team/role", { user: member.id, role: "admin" });
    expect(changed.note).toBe("The role is changed.");
    expect(await roleOf(team, member)).toBe(masks.admin);
    expect(await eventsOf(team)).toContain("team.member-changed");

    const ofAdmin = await logIn(admin);
    const { text } = await ofAdmin.open(`${paths.member}?user=${member.id}`);
    expect([text.includes('value="admin"'), text.includes('value="owner"')]).toEqual([true, false]);
    const refused = await ofAdmin.submit("/account/team/role", { user: member.id, role: "owner" });
    expect(refused.note).toMatch(/^Nothing has changed/);
    const fixed = await ofAdmin.open(`${paths.member}?user=${team.owner.id}`);
    expect(fixed.text).toContain("Only another owner can change this member.");
    const taken = await ofAdmin.submit("/account/team/role", { user: team.owner.id, role: "member" });
    expect(taken.note).toMatch(/^Nothing has changed/);
    expect(await roleOf(team, team.owner)).toBe(masks.owner);
  });

  it("are removed with the admin’s password only", async () => {
    const team = await newTeam();
    const member = await team.add();
    const visitor = await openAs(team.owner, `${paths.member}?user=${member.id}`);
    const removal = "/account/team/removal";
    const attempts: Record<string, string>[] = [{}, { password: "" }, { password: "wrong password" }];
    for (const fields of attempts) {
      const refused = await visitor.submit(removal, { user: member.id, ...fields });
      expect(refused.note).toMatch(/^Nothing has changed: the password is wrong/);
    }
    const { password } = team.owner;
    const removed = await visitor.submit(removal, { user: member.id, password });
    expect(removed.note).toBe("The member is removed. The account is deleted.");
    expect(removed.text).not.toContain(member.email);
    const again = await visitor.submit(removal, { user: member.id, password });
    expect(again.note).toBe("This no longer exists.");
    const own = await visitor.submit(removal, { user: team.owner.id, password });
    expect(own.note).toMatch(/^Nothing has changed/);
    expect(await eventsOf(team)).toContain("team.member-removed");
  });

  it("are downloaded as a file", async () => {
    const team = await newTeam();
    const member = await team.add();
    const visitor = await logIn(team.owner);
    const { status, headers, text } = await visitor.open("/account/team/file");
    expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching("text/csv")]);
    expect(headers.get("content-disposition")).toMatch(/^attachment; /);
    expect(text).toContain(member.email);
    expect(await eventsOf(team)).toContain("team.members-exported");
  });
});

describe.concurrent("invitations on the page", () => {
  it("are sent, listed and withdrawn", async () => {
    const team = await newTeam();
    const visitor = await openAs(team.owner, paths.invitations);
    const email = newEmail();
    const sent = await visitor.submit(paths.invitations, { email: ` ${email} `, role: "partner" });
    expect([sent.note, sent.text.includes(email)]).toEqual(["The invitation is on its way.", true]);
    await nextMessage(email, { purpose: "TeamInvitation" });
    const [, invitation = ""] = /name="invitation" value="([^"]+)"/.exec(sent.text) ?? [];
    const withdrawn = await visitor.submit("/account/team/withdrawal", { invitation });
    expect([withdrawn.note, withdrawn.text.includes("Nobody is invited at the moment.")]).toEqual([
      "The invitation is withdrawn.",
      true,
    ]);
    expect(await eventsOf(team)).toEqual(
      expect.arrayContaining(["team.invitation-sent", "team.invitation-revoked"]),
    );
  });

  it("report an address that cannot be invited", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const visitor = await openAs(team.owner, paths.invitations);
    const invite = async (email: string) =>
      (await visitor.submit(paths.invitations, { email, role: "member" })).note;
    expect(await invite("nobody")).toBe("This is not an e-mail address.");
    expect(await invite(other.owner.email)).toMatch(/^Somebody with this address has an account/);
    const admin = await openAs(await team.add("admin"), paths.invitations);
    const refused = await admin.submit(paths.invitations, { email: newEmail(), role: "owner" });
    expect(refused.note).toMatch(/^Nothing has changed/);
  });

  it("report limits", async () => {
    const limited = await stackWith({
      setTeamInvitationRateLimit: { perInviter: { burst: 1, refillSeconds: 3600 } },
    });
    const team = await newTeam({}, limited);
    const visitor = await logIn(team.owner, limited);
    await visitor.open(paths.invitations);
    const invite = async () =>
      (await visitor.submit(paths.invitations, { email: newEmail(), role: "member" })).note;
    expect(await invite()).toBe("The invitation is on its way.");
    expect(await invite()).toMatch(/^Too many attempts/);
  });
});

describe.concurrent("features on the page", () => {
  it("are switched unless the operator has locked them", async () => {
    const team = await newTeam();
    const visitor = await openAs(team.owner, paths.features);
    const off = await visitor.submit(paths.features, { feature: "fileSharing", status: "disabled" });
    expect(off.note).toBe("The feature is off.");
    const { token } = team.owner;
    const path = `/teams/${team.id}/features/fileSharing`;
    expect((await api("GET", path, { token })).body.status).toBe("disabled");
    const on = await visitor.submit(paths.features, { feature: "fileSharing", status: "enabled" });
    expect(on.note).toBe("The feature is on.");
    await internalApi("PUT", `/i${path}/locked`);
    const locked = await visitor.submit(paths.features, { feature: "fileSharing", status: "disabled" });
    expect(locked.note).toBe("Only the operator of this server can change this feature.");
    expect(locked.text).toContain("Only the operator of this server can change it.");
    expect((await api("GET", path, { token })).body.status).toBe("enabled");
    expect((await visitor.post(paths.features, { feature: "sso", status: "enabled" })).status).toBe(400);
    expect(await eventsOf(team)).toContain("team.feature-changed");
  });
});

describe.concurrent("identity providers on the page", () => {
  it("are added from their metadata, lead to a login, and are removed", async () => {
    const [team, idp] = await Promise.all([newSsoTeam(), newIdentityProvider()]);
    const visitor = await openAs(team.owner, paths.providers);
    const added = await visitor.submit(paths.providers, { metadata: idp.metadata() });
    expect([added.note, added.text.includes(idp.issuer)]).toEqual(["The identity provider is added.", true]);
    const [, provider = ""] = /name="provider" value="([^"]+)"/.exec(added.text) ?? [];
    expect(added.text).toContain(`value="svc-${provider}"`);
    expect(added.text).toContain(`/sso/metadata/${team.id}"`);
    const twice = await visitor.submit(paths.providers, { metadata: idp.metadata() });
    expect(twice.note).toBe("This identity provider is registered already.");
    const wrong = await visitor.submit(paths.providers, { metadata: "<nothing/>" });
    expect(wrong.note).toMatch(/^This is not the metadata/);
    const removed = await visitor.submit("/account/team-login/removal", { provider });
    expect([removed.note, removed.text.includes(idp.issuer)]).toEqual([
      "The identity provider is removed.",
      false,
    ]);
    const again = await visitor.submit("/account/team-login/removal", { provider: randomUUID() });
    expect(again.note).toBe("This no longer exists.");
    expect(await eventsOf(team)).toEqual(
      expect.arrayContaining(["identity-provider.created", "identity-provider.deleted"]),
    );
  });

  it("need the feature, and stay while members log in through them", async () => {
    const [team, ssoTeam, idp] = await Promise.all([newTeam(), newSsoTeam(), newIdentityProvider()]);
    const off = await openAs(team.owner, paths.providers);
    expect((await off.submit(paths.providers, { metadata: idp.metadata() })).note).toMatch(
      /^Your team doesn’t have this feature/,
    );
    const { id: provider, idp: used } = await registeredProvider(ssoTeam, { query: { api_version: "v2" } });
    await ssoTeam.add("member", {
      provisioned: { samlIdentity: { issuer: used.issuer, nameId: { text: "Ada" } } },
    });
    const visitor = await openAs(ssoTeam.owner, paths.providers);
    const kept = await visitor.submit("/account/team-login/removal", { provider });
    expect(kept.note).toMatch(/^Members log in through this identity provider/);
  });
});

describe.concurrent("tokens of a directory on the page", () => {
  const shownToken = (text: string) => /id="created"[^>]*>([^<]+)</.exec(text)?.[1];
  const unescaped = (text = "") =>
    text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

  it("are created with the owner’s password, shown once, used and revoked", async () => {
    const team = await newTeam();
    const visitor = await openAs(team.owner, paths.tokens);
    const wrong = await visitor.submit(paths.tokens, { purpose: "Staff", password: "wrong password" });
    expect(wrong.note).toMatch(/^Nothing has changed: the password is wrong/);
    const fields = { purpose: "Staff", provider: "", password: team.owner.password };
    const answer = await visitor.post(paths.tokens, fields);
    expect(answer.location).toBe(`${paths.tokens}?outcome=token-created`);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^new-token=[\w-]+; Path=\/account\/team-directory\/tokens; Max-Age=60; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    const carried = visitor.cookies.get("new-token") ?? "";
    const shown = await visitor.open(answer.location ?? "");
    const token = unescaped(shownToken(shown.text));
    expect(outcome(await api("GET", "/scim/v2/Groups", { token }))).toBe("200");
    expect(visitor.cookies.get("new-token")).toBe("");
    expect(shownToken((await visitor.open(paths.tokens)).text)).toBeUndefined();

    const stranger = await openAs((await newTeam()).owner, paths.tokens);
    stranger.cookies.set("new-token", carried);
    expect(shownToken((await stranger.open(paths.tokens)).text)).toBeUndefined();

    const [, id = ""] = /name="token" value="([^"]+)"/.exec(shown.text) ?? [];
    const revoked = await visitor.submit("/account/team-directory/revocation", { token: id });
    expect([revoked.note, revoked.text.includes("There is no token.")]).toEqual([
      "The token is revoked.",
      true,
    ]);
    expect(outcome(await api("GET", "/scim/v2/Groups", { token }))).toMatch(/^401/);
    expect((await api("HEAD", paths.tokens)).status).toBe(405);
    expect(await eventsOf(team)).toEqual(
      expect.arrayContaining(["provisioning-token.created", "provisioning-token.deleted"]),
    );
  });

  it("belong to a provider of the team", async () => {
    const team = await newSsoTeam();
    const { id } = await registeredProvider(team, { query: { api_version: "v2" } });
    const visitor = await openAs(team.owner, paths.tokens);
    const fields = { purpose: "Staff", password: team.owner.password };
    const unknown = await visitor.submit(paths.tokens, { ...fields, provider: randomUUID() });
    expect(unknown.note).toBe("This no longer exists.");
    await visitor.submit(paths.tokens, { ...fields, provider: id });
    const { body } = await api("GET", "/scim/auth-tokens", { token: team.owner.token });
    expect(body.tokens).toMatchObject([{ description: "Staff", idp: id }]);
  });

  it("need a code where a second factor is required", async () => {
    const team = await teamWithSecondFactor();
    const { email, password } = team.owner;
    const visitor = pageVisitor();
    await visitor.open("/account/profile");
    await visitor.submit("/account/login", { identity: email, password });
    const login = await nextMessage(email, { purpose: "SecondFactorVerification" });
    await visitor.submit("/account/code", { code: login.headers["X-Svc-Code"] ?? "" });
    await visitor.open(paths.tokens);
    const fields = { purpose: "Staff", password };
    const needed = await visitor.submit(paths.tokens, fields);
    expect(needed.note).toMatch(/^This code is wrong or has expired/);
    const asked = await visitor.submit("/account/team-directory/code");
    expect(asked.note).toBe("We’ve sent you a code by e-mail.");
    const { headers } = await nextMessage(email, { purpose: "SecondFactorVerification", count: 2 });
    const created = await visitor.submit(paths.tokens, { ...fields, code: headers["X-Svc-Code"] ?? "" });
    expect([created.note, shownToken(created.text)]).toEqual(["The token is created.", expect.any(String)]);
  });
});

describe.concurrent("the audit trail on the page", () => {
  it("shows who did what to whom, day by day", async () => {
    const team = await newTeam();
    const member = await team.add("member", { name: "Ben Bright" });
    const visitor = await openAs(team.owner, paths.invitations);
    await visitor.submit("/account/team/role", { user: member.id, role: "admin" });
    const { text } = await visitor.open(paths.audit);
    expect(text).toContain("team.member-changed");
    expect(text).toContain("→ Ben Bright");
    const before = /href="(\/account\/team-audit\?day=[^"]+)">Day before/.exec(text)?.[1] ?? "";
    const earlier = await visitor.open(before);
    expect(earlier.text).toContain("Nothing was recorded on this day.");
    expect(earlier.text).toContain("Day after");
    expect((await visitor.open(`${paths.audit}?day=yesterday`)).status).toBe(400);
  });

  it("goes on where a day has more records than a page", async () => {
    const team = await newTeam();
    const visitor = await openAs(team.owner, paths.features);
    for (let index = 0; index <= 50; index += 1)
      for (const status of ["disabled", "enabled"])
        await visitor.post(paths.features, { feature: "fileSharing", status });
    const first = await visitor.open(paths.audit);
    const more = /href="([^"]+)">More of this day/.exec(first.text)?.[1]?.replaceAll("&#38;", "&") ?? "";
    const second = await visitor.open(more);
    expect(second.text).toContain("team.feature-changed");
    expect(second.text).not.toContain("More of this day");
  });
});
