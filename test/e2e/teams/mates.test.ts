import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { registerDevice } from "../../support/devices.ts";
import { newMlsDevice } from "../../support/key-packages.ts";
import { search } from "../../support/search.ts";
import { newTeam } from "../../support/teams.ts";

/** The rights of members of a team towards each other without a connection. */
describe.concurrent("members of one team", () => {
  it("see the team in each other's and their own profiles", async () => {
    const team = await newTeam();
    const [member, partner] = await Promise.all([team.add(), team.add("partner")]);
    const { body: profile } = await api("GET", `/users/${localDomain}/${member.id}`, partner);
    expect(profile.team).toBe(team.id);
    expect((await api("GET", "/self", partner)).body.team).toBe(team.id);
  });

  it("claim each other's prekeys and key packages", async () => {
    const team = await newTeam();
    const [member, partner] = await Promise.all([team.add(), team.add("partner")]);
    const { body: device } = await registerDevice(member);
    const { body: prekeys } = await api("GET", `/users/${localDomain}/${member.id}/prekeys`, partner);
    expect(prekeys.clients).toMatchObject([{ client: device.id, prekey: expect.any(Object) }]);

    const { token, clientId, make } = await newMlsDevice(member);
    const json = { key_packages: [await make()] };
    expect((await api("POST", `/v8/mls/key-packages/self/${clientId}`, { token, json })).status).toBe(201);
    const path = `/v8/mls/key-packages/claim/${localDomain}/${member.id}?ciphersuite=0x0001`;
    const { body: claimed } = await api("POST", path, partner);
    expect(claimed.key_packages).toMatchObject([{ client: clientId, key_package: json.key_packages[0] }]);
  });

  it("may search for contacts, unless they are partners", async () => {
    const team = await newTeam();
    const partner = await team.add("partner");
    for (const query of ["ada", "@ada", ""]) {
      expect(outcome(await search(partner, query))).toBe("403 insufficient-permissions");
      expect((await search(team.owner, query)).status).toBe(200);
    }
    const json = { q: "ada" };
    expect(outcome(await api("POST", "/search/contacts", { token: partner.token, json }))).toBe(
      "403 insufficient-permissions",
    );
  });
});
