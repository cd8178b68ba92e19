import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { logInBySaml, newIdentityProvider, registerIdentityProvider, verdictOf } from "../../support/saml.ts";
import { newTeam } from "../../support/teams.ts";

describe("a login by an identity provider", () => {
  it("creates an account for a new subject, and logs in", async () => {
    const team = await newTeam();
    const provider = await newIdentityProvider();
    const registered = await registerIdentityProvider(provider, team.id);
    const answer = await logInBySaml(registered, provider);
    expect(verdictOf(answer)).toBe("success");
    const access = await api("POST", "/access", { cookie: answer.cookie });
    expect(access.status).toBe(200);
  });
});
