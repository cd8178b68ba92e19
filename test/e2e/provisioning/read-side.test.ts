import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { extensionUrn, newDirectory, newUserFields } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import type { User } from "../../support/users.ts";

const issuer = `https://idp-${randomUUID()}.example.com/metadata`;
const createdAt = Date.parse("2026-03-04T05:06:07.089Z");

/** A team with a single sign-on user managed by a directory, one only managed by a directory, and another one. */
async function newProvisionedTeam() {
  const team = await newTeam();
  const [texts, name] = [[randomUUID(), randomUUID()] as const, "Ada"];
  const [bound, unbound, other] = await Promise.all([
    team.add("member", {
      name,
      provisioned: {
        managedByScim: true,
        samlIdentity: { issuer, nameId: { text: texts[0] } },
        scim: { externalId: texts[0], createdAt, updatedAt: createdAt },
      },
    }),
    team.add("member", {
      name,
      provisioned: { managedByScim: true, scim: { externalId: texts[1], createdAt, updatedAt: createdAt } },
    }),
    team.add("member", { name }),
  ]);
  return { team, bound, unbound, other, texts };
}

const search = async (team: Team, query = "") =>
  (await api("GET", `/teams/${team.id}/search?${query}`, { token: team.owner.token })).body.documents;
const richInfoOf = async (reader: User, { id }: User) =>
  outcome(await api("GET", `/users/${id}/rich-info`, { token: reader.token }));
const setStatus = ({ id }: User, status: string) =>
  internalApi("PUT", `/i/users/${id}/status`, { json: { status } });

describe.concurrent("the search of a team", () => {
  it("shows a member's identity at the provider and in the directory", async () => {
    const { team, bound, unbound, other, texts } = await newProvisionedTeam();
    const documents = await eventually(async () => {
      const found = await search(team, "sortby=saml_idp");
      expect(found).toHaveLength(3);
      return found;
    });
    expect(documents[0]).toMatchObject({
      id: bound.id,
      managed_by: "scim",
      saml_idp: issuer,
      sso: { issuer, nameid: texts[0] },
      scim_external_id: texts[0],
    });
    const found = (user: User) => documents.find(({ id }: { id: string }) => id === user.id);
    expect(found(unbound)).toMatchObject({ managed_by: "scim", scim_external_id: texts[1] });
    expect(found(unbound)).not.toHaveProperty("sso");
    for (const field of ["saml_idp", "sso", "scim_external_id"])
      expect(found(other)).not.toHaveProperty(field);
  });
});

describe.concurrent("the export of a team's members", () => {
  it("has a member's identity at the provider and in the directory", async () => {
    const { team, bound, unbound, other, texts } = await newProvisionedTeam();
    const { body } = await api("GET", `/teams/${team.id}/members/csv`, { token: team.owner.token });
    const lineOf = ({ id }: User) => body.split("\r\n").find((line: string) => line.includes(id));
    expect(lineOf(bound)).toContain(`"${issuer}","scim","${texts[0]}","${texts[0]}","","${bound.id}"`);
    expect(lineOf(unbound)).toContain(`"","scim","","${texts[1]}","","${unbound.id}"`);
    expect(lineOf(other)).toContain(`"","svc","","","","${other.id}"`);
  });
});

describe.concurrent("the export of a team whose directory creates its users", () => {
  it("has their creation times and rich info", async () => {
    const directory = await newDirectory({ hasProvider: true });
    const { body } = await directory.create(newUserFields({ [extensionUrn]: { Floor: "2" } }));
    const { id: teamId, owner } = directory.team;
    const { body: csv } = await api("GET", `/teams/${teamId}/members/csv`, { token: owner.token });
    const line = csv.split("\r\n").find((one: string) => one.includes(body.id));
    expect(line).toContain(
      `"member","${body.meta.created}","","${directory.issuer}","scim","${body.externalId}"`,
    );
    expect(line).toContain('{""version"":0,""fields"":[{""type"":""Floor"",""value"":""2""}]}');
  });
});

describe.concurrent("rich info", () => {
  it("is shown only of, and to, active members", async () => {
    const team = await newTeam();
    const [reader, member] = await Promise.all([team.add(), team.add()]);
    expect(await richInfoOf(reader, member)).toBe("200");
    await setStatus(member, "suspended");
    expect(await richInfoOf(reader, member)).toBe("404 not-found");
    expect(await richInfoOf(member, reader)).toBe("404 not-found");
    await setStatus(member, "active");
    expect(await richInfoOf(reader, member)).toBe("200");
    await internalApi("DELETE", `/i/users/${member.id}`);
    expect(await richInfoOf(reader, member)).toBe("404 not-found");
  });
});
