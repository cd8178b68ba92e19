import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import {
  createProvider,
  deleteProvider,
  newSsoTeam,
  registeredProvider,
  updateProvider,
} from "../../support/identity-providers.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { type OwnStack, stopOwnStacks } from "../../support/own-stack.ts";
import { newIdentityProvider, sharedKey } from "../../support/saml.ts";
import { stackWith } from "../../support/stack-with.ts";
import type { Team } from "../../support/teams.ts";

let stack: OwnStack;
beforeAll(async () => {
  stack = await stackWith({
    saml: {
      serviceProvidersByHost: {
        "One.example.com": { spSsoUri: "https://one.example.com/sso" },
        "two.example.com": { spSsoUri: "https://two.example.com/sso" },
      },
    },
  });
});
afterAll(stopOwnStacks);

const on = (host: string) => ({ publicApi: stack.publicApi, headers: { host } });
const [one, two, elsewhere] = ["one.example.com", "two.example.com", "three.example.com"];

describe.concurrent("on several hosts, a team", () => {
  const register = (team: Team, host: string) => registeredProvider(team, on(host));

  it("has one identity provider on each host, and any number on other hosts", async () => {
    const team = await newSsoTeam(stack);
    const [{ id }, idp] = [await register(team, one), await newIdentityProvider()];
    const duplicate = await createProvider(team.owner, idp.metadata(), on(one));
    expect(outcome(duplicate)).toBe("409 idp-duplicate-domain-for-team");
    for (const host of [two, elsewhere, elsewhere]) await register(team, host);
    const other = await newSsoTeam(stack);
    await register(other, one);
    await deleteProvider(team.owner, id, stack);
    const next = await createProvider(team.owner, idp.metadata(), on(one));
    expect([next.status, next.body.extraInfo.domain]).toEqual([201, one]);
  });

  it("binds an identity provider to the host of the last update", async () => {
    const team = await newSsoTeam(stack);
    const { id, idp } = await register(team, one);
    const domainAfter = async (host: string) =>
      (await updateProvider(team.owner, id, idp.metadata(), on(host))).body.extraInfo?.domain;
    expect(await domainAfter(one)).toBe(one);
    expect(await domainAfter(elsewhere)).toBeNull();
    expect(await domainAfter(two)).toBe(two);
    const another = await register(team, one);
    const moved = await updateProvider(team.owner, another.id, another.idp.metadata(), on(two));
    expect(outcome(moved)).toBe("409 idp-duplicate-domain-for-team");
  });

  it("gets one identity provider on a host when several are registered concurrently", async () => {
    const team = await newSsoTeam(stack);
    const idps = await Promise.all(Array.from({ length: 6 }, () => newIdentityProvider()));
    const answers = await Promise.all(idps.map((idp) => createProvider(team.owner, idp.metadata(), on(one))));
    expect(answers.map(outcome).toSorted()).toEqual([
      "201",
      ...Array.from({ length: 5 }, () => "409 idp-duplicate-domain-for-team"),
    ]);
  });
});

describe.concurrent("mails about identity providers", () => {
  it("tell admins and owners who changed what", async () => {
    const team = await newSsoTeam(stack);
    const [admin, member] = [await team.add("admin", { locale: "de" }), await team.add("member")];
    const { id, idp } = await registeredProvider(team, on(two));
    const created = await nextMessage(team.owner.email, { purpose: "IdPChange" });
    expect(created.text).toContain(`New identity provider: ${id}`);
    for (const line of ["Team: Engines", "By: Ada", `Issuer: ${idp.issuer}`, `Address: ${idp.requestUri}`])
      expect(created.text).toContain(line);
    expect(created.text.match(/Added certificate \(SHA-256\): [\dA-F:]{95}$/gm)).toHaveLength(1);

    const issuer = `${idp.issuer}-2`;
    const keys = [await sharedKey("other")];
    await updateProvider(team.owner, id, idp.metadata({ issuer, keys }), on(two));
    const updated = await nextMessage(team.owner.email, { purpose: "IdPChange", count: 2 });
    for (const line of [`Issuer: ${issuer}`, `Former issuer: ${idp.issuer}`, "Added cert", "Removed cert"])
      expect(updated.text).toContain(line);
    expect(updated.text).not.toContain("Former address");

    await deleteProvider(team.owner, id, stack);
    const deleted = await nextMessage(admin.email, { purpose: "IdPChange", count: 3 });
    expect(deleted.text).toContain(`Gelöschter Identitätsanbieter: ${id}`);
    expect(await messagesTo(member.email)).toEqual([]);
  });

  it("are sent on request of internal callers", async () => {
    const team = await newSsoTeam(stack);
    const { id, idp } = await registeredProvider(team, on(two));
    await nextMessage(team.owner.email, { purpose: "IdPChange" });
    const view = (await stack.publicApi("GET", `/identity-providers/${id}`, team.owner)).body;
    const tell = (json: unknown) => stack.internalApi("POST", "/i/idp/send-idp-changed-email", { json });
    expect((await tell({ tag: "deleted", value: { idp: view } })).status).toBe(200);
    const deleted = await nextMessage(team.owner.email, { purpose: "IdPChange", count: 2 });
    expect(deleted.text).toContain(`Deleted identity provider: ${id}`);
    expect(deleted.text).not.toContain("By:");
    const renamed = { ...view, metadata: { ...view.metadata, issuer: "https://new.example" } };
    await tell({ tag: "updated", value: { user: team.owner.id, old: view, new: renamed } });
    const updated = await nextMessage(team.owner.email, { purpose: "IdPChange", count: 3 });
    expect(updated.text).toContain(`Former issuer: ${idp.issuer}`);
    const broken = { ...view, metadata: { ...view.metadata, certAuthnResponse: ["<a/>"] } };
    expect(outcome(await tell({ tag: "created", value: { idp: broken } }))).toBe("400 invalid-metadata");
    expect(outcome(await tell({ tag: "renamed", value: { idp: view } }))).toBe("400 bad-request");
    expect(outcome(await tell({ tag: "updated", value: { idp: view } }))).toBe("400 bad-request");
  });

  it("are in the language of each recipient", async () => {
    const team = await newSsoTeam(stack);
    const admins = await Promise.all(["fr", "es"].map((locale) => team.add("admin", { locale })));
    await registeredProvider(team, on(two));
    const [french, spanish] = await Promise.all(
      admins.map(({ email }) => nextMessage(email, { purpose: "IdPChange" })),
    );
    expect(french?.text).toContain("Nouveau fournisseur d’identité");
    expect(spanish?.text).toContain("Nuevo proveedor de identidad");
  });
});
