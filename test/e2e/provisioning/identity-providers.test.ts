import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { newIdentityProvider, samlNames } from "../../support/saml.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import type { User } from "../../support/users.ts";

/** A team with the feature `sso`. */
async function ssoTeam(): Promise<Team> {
  const team = await newTeam();
  const answer = await internalApi("PUT", `/i/teams/${team.id}/features/sso`, {
    json: { status: "enabled" },
  });
  expect(answer.status).toBe(200);
  return team;
}

const xml = { "content-type": "application/xml" };

/** Register an identity provider. */
const create = ({ token }: Pick<User, "token">, metadata: string, query: Record<string, string> = {}) =>
  api("POST", `/identity-providers?${new URLSearchParams(query)}`, { token, body: metadata, headers: xml });

describe.concurrent("identity providers", () => {
  it("are registered from metadata", async () => {
    const [team, idp] = [await ssoTeam(), await newIdentityProvider()];
    const { status, body } = await create(team.owner, idp.metadata());
    expect([status, body]).toMatchObject([
      201,
      {
        metadata: { issuer: idp.issuer, requestURI: idp.requestUri },
        extraInfo: {
          team: team.id,
          apiVersion: "SvcIdPAPIV1",
          oldIssuers: [],
          replacedBy: null,
          handle: "IdP 1",
          domain: null,
        },
      },
    ]);
    const got = await api("GET", `/identity-providers/${body.id}`, team.owner);
    expect(got.body).toEqual(body);
  });

  it("refuse a binding other than HTTP-POST, and take it in any case", async () => {
    const [team, idp] = [await ssoTeam(), await newIdentityProvider()];
    const redirect = await create(team.owner, idp.metadata({ binding: samlNames.redirect }));
    expect(outcome(redirect)).toBe("400 invalid-metadata");
    const binding = samlNames.post.replace("HTTP-POST", "HTTP-Post");
    expect((await create(team.owner, idp.metadata({ binding }))).status).toBe(201);
  });
});
