import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { adminOf } from "../../support/admin.ts";
import { newSsoTeam, registeredProvider } from "../../support/identity-providers.ts";
import { newInvitation } from "../../support/invitations.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

describe.concurrent("npm run admin -- team", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith({ domainVerification: { resolvers: ["127.0.0.1"] } });
  });
  const admin = (...args: string[]) => adminOf(stack).admin(...args);
  const resultOf = (...args: string[]) => adminOf(stack).resultOf(...args);

  it("lists members with their roles, page by page", async () => {
    const team = await newTeam({}, stack);
    await Promise.all(Array.from({ length: 100 }, () => team.add()));
    await team.add("admin");
    const members = await resultOf("team", "members", team.id);
    expect(members).toHaveLength(102);
    expect(members).toContainEqual(
      expect.objectContaining({ user: team.owner.id, name: "Ada", role: "owner" }),
    );
    expect(new Set(members.map(({ user }: { user: string }) => user)).size).toBe(102);
    const few = await admin("team", "members", team.id, "--limit", "101", "--json");
    expect(JSON.parse(few.stdout)).toHaveLength(101);
    expect(few.stderr).toBe("There are more: raise --limit.");
    expect((await admin("team", "members", randomUUID())).code).toBe(1);
  });

  it("gives a member another role, and never leaves a team without an owner", async () => {
    const team = await newTeam({}, stack);
    const member = await team.add();
    const setRole = (user: { id: string }, role: string) =>
      admin("team", "members", "set-role", team.id, user.id, role);
    const advice = "is the only owner of the team";
    expect(await setRole(team.owner, "member")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(advice),
    });
    const { name } = await resultOf("user", "show", team.owner.id);
    expect(await admin("user", "delete", team.owner.id, "--yes", name)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(advice),
    });
    for (const command of [
      ["team", "members", "set-role", team.id, team.owner.id, "member"],
      ["user", "delete", team.owner.id],
    ])
      expect((await admin(...command, "--dry-run")).stderr).toContain(advice);
    const stranger = await newUser({ name: "Zoe" }, stack);
    expect((await setRole(stranger, "owner")).stderr).toBe(`Zoe is not a member of the team ${team.id}`);
    expect(await setRole(member, "owner")).toMatchObject({ code: 0 });
    expect(await setRole(team.owner, "partner")).toMatchObject({ code: 0 });
    const roles = (await resultOf("team", "members", team.id)).map(
      ({ user, role }: { user: string; role: string }) => [user, role],
    );
    expect(Object.fromEntries(roles)).toEqual({ [member.id]: "owner", [team.owner.id]: "partner" });
  });

  it("changes a feature and its lock, and shows both", async () => {
    const { id } = await newTeam({}, stack);
    const shown = async () => {
      const features: { feature: string }[] = await resultOf("team", "features", "show", id);
      return features.find(({ feature }) => feature === "appLock");
    };
    const set = (...args: string[]) => admin("team", "features", "set", id, ...args);
    const config = { enforceAppLock: true, inactivityTimeoutSecs: 77 };
    const change = ["--status", "disabled", "--config", JSON.stringify(config), "--lock", "unlocked"];
    expect((await set("appLock", ...change)).code).toBe(0);
    expect(await shown()).toMatchObject({ status: "disabled", lock: "unlocked", config });
    expect((await set("appLock", "--lock", "locked")).code).toBe(0);
    expect(await shown()).toMatchObject({ status: "enabled", lock: "locked" });

    expect((await set("appLock")).stderr).toContain("Name a --status");
    expect((await set("appLock", "--config", "{")).stderr).toContain("--config must be JSON");
    expect((await set("appLock", "--status", "on")).stderr).toContain("--status is one of enabled, disabled");
    expect((await set("noFeature", "--status", "enabled")).stderr).toContain(
      "FEATURE is one of legalhold, sso",
    );
  });

  it("lists invitations, and revokes one", async () => {
    const team = await newTeam({}, stack);
    const [revoked, kept] = [await newInvitation(team, {}, stack), await newInvitation(team, {}, stack)];
    // This id would lead to the team itself.
    const astray = await admin("team", "invitations", "revoke", team.id, "..", "--dry-run");
    expect(astray).toMatchObject({ code: 1, stderr: expect.stringContaining("Not an id: ..") });
    const byAddress = await admin("team", "invitations", "revoke", team.id, revoked.email);
    expect(byAddress).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("team invitations list has"),
    });
    await resultOf("team", "invitations", "revoke", team.id, revoked.id);
    expect(await resultOf("team", "invitations", "list", team.id)).toMatchObject([
      { id: kept.id, email: kept.email, role: "member", created_by: team.owner.id },
    ]);
  });

  it("lists identity providers, and removes one once its issuer is repeated", async () => {
    const team = await newSsoTeam(stack);
    const { id, idp } = await registeredProvider(team, { publicApi: stack.publicApi });
    expect(await resultOf("team", "providers", "list", team.id)).toMatchObject([{ id, issuer: idp.issuer }]);
    await resultOf("default-provider", "--set", id);
    expect(await resultOf("default-provider")).toEqual({ default_sso_code: id });
    await resultOf("default-provider", "--none");
    expect((await resultOf("default-provider")).default_sso_code ?? null).toBeNull();
    const remove = (...more: string[]) => admin("team", "providers", "remove", team.id, id, ...more);
    expect((await remove()).stderr).toContain("--yes");
    expect((await remove("--yes", idp.issuer)).code).toBe(0);
    expect(await resultOf("team", "providers", "list", team.id)).toEqual([]);
    expect((await remove("--yes", idp.issuer)).stderr).toContain("no identity provider");
  });

  it("sets which users the members can find", async () => {
    const { id } = await newTeam({}, stack);
    const visibility = (...more: string[]) => resultOf("team", "search-visibility", id, ...more);
    expect(await visibility()).toEqual({ search_visibility: "standard" });
    await resultOf("team", "features", "set", id, "searchVisibility", "--status", "enabled");
    await visibility("--set", "no-name-outside-team");
    expect(await visibility()).toEqual({ search_visibility: "no-name-outside-team" });
    expect((await resultOf("team", "show", id)).search_visibility).toBe("no-name-outside-team");
  });

  it("allows and denies legal hold", async () => {
    const { id, name } = await newTeam({}, stack);
    await resultOf("team", "legal-hold", "allow", id);
    expect((await resultOf("team", "show", id)).legal_hold).toBe("enabled");
    expect((await admin("team", "legal-hold", "deny", id)).code).toBe(1);
    await resultOf("team", "legal-hold", "deny", id, "--yes", name);
    expect((await resultOf("team", "show", id)).legal_hold).toBe("disabled");
  });

  it("allows legal hold by the list of teams where the setting uses one", async () => {
    const listing = await stackWith({
      legalhold: "whitelist-teams-and-implicit-consent",
    });
    const { id, name } = await newTeam({}, listing);
    const isListed = async () =>
      (await listing.internalApi("GET", `/i/legalhold/whitelisted-teams/${id}`)).status;
    await adminOf(listing).resultOf("team", "legal-hold", "allow", id);
    expect(await isListed()).toBe(200);
    await adminOf(listing).resultOf("team", "legal-hold", "deny", id, "--yes", name);
    expect(await isListed()).toBe(404);
  });

  it("deletes a team once its name is repeated, with members only by force", async () => {
    const team = await newTeam({}, stack);
    await team.add();
    const remove = (...more: string[]) => admin("team", "delete", team.id, ...more);
    expect((await remove("--force")).stderr).toContain(`--yes ${JSON.stringify(team.name)}`);
    expect((await remove("--yes", team.name)).stderr).toContain("not-one-member-team");
    expect((await remove("--yes", team.name, "--force")).code).toBe(0);
    expect((await admin("team", "show", randomUUID())).stderr).toContain("404 no-team");
  });

  it("opens and closes an email domain", async () => {
    const domain = `${randomUUID()}.example.com`;
    const enabled = ["--status", "enabled", "--lock", "unlocked"];
    const { id } = await newTeam({}, stack);
    await resultOf("team", "features", "set", id, "domainRegistration", ...enabled);
    expect(await resultOf("team", "domains", id)).toEqual([]);
    await resultOf("domain", "preauthorize", domain);
    expect(await resultOf("domain", "show", domain)).toMatchObject({ domain_redirect: "pre-authorized" });
    await resultOf("domain", "unauthorize", domain);
    expect((await admin("domain", "lock", domain)).stderr).toContain(`--yes "${domain}"`);
    await resultOf("domain", "lock", domain, "--yes", domain);
    expect(await resultOf("domain", "show", domain)).toMatchObject({ domain_redirect: "locked" });
    await resultOf("domain", "unlock", domain);
    await resultOf("domain", "remove", domain, "--yes", domain);
    expect((await admin("domain", "show", domain)).stderr).toContain("404");
  });
});
