import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { storedEvents } from "../../support/events.ts";
import { operateFeature } from "../../support/features.ts";
import { createLink, joinByLink } from "../../support/guest-links.ts";
import { newMlsClient } from "../../support/mls.ts";
import { followTo, newMlsGroup, readUntil } from "../../support/mls-groups.ts";
import { newTeam } from "../../support/teams.ts";
import { register, type User } from "../../support/users.ts";

const config = {
  protocolToggleUsers: [],
  defaultProtocol: "mls",
  supportedProtocols: ["mls"],
  allowedCipherSuites: [1],
  defaultCipherSuite: 1,
};

/** A guest who has followed a guest link and has only a name. */
async function newGuest(): Promise<User> {
  const { body, cookie } = await register({});
  const access = await api("POST", "/access", { cookie });
  return { ...body, token: access.body.access_token };
}

/** A group with a guest link, of a team. */
async function newGroup({ hasMls }: { hasMls: boolean }) {
  const team = await newTeam();
  if (hasMls) expect(outcome(await operateFeature(team, "mls", { status: "enabled", config }))).toBe("200");
  const owner = await newMlsClient(team.owner, { packages: 0 });
  const group = await newMlsGroup(owner, {
    team: { teamid: team.id },
    access: ["invite", "code"],
    access_role: ["team_member", "guest", "non_team_member"],
  });
  await owner.mustCommit();
  const { body } = await createLink(group, team.owner);
  return { team, owner, group, link: body.data };
}

const mlsOf = async ({ token }: User) => (await api("GET", "/feature-configs", { token })).body.mls;

describe.concurrent("a temporary guest in an MLS group of a team that alone has MLS", () => {
  it("is told that it has MLS once it is in the group, and takes part in it", async () => {
    const { team, owner, group, link } = await newGroup({ hasMls: true });
    const guest = await newGuest();
    expect(await mlsOf(guest)).toMatchObject({ status: "disabled", config: { defaultProtocol: "proteus" } });
    expect(outcome(await joinByLink(link, guest))).toBe("200");
    const mls = { status: "enabled", lockStatus: "unlocked", ttl: "unlimited", config };
    expect(await mlsOf(guest)).toEqual(mls);
    expect(await storedEvents(guest.token, "feature-config.update")).toEqual([
      { type: "feature-config.update", team: team.id, name: "mls", data: mls },
    ]);

    const json = { supported_protocols: ["proteus", "mls"] };
    const supported = await api("PUT", "/v9/self/supported-protocols", { token: guest.token, json });
    expect(outcome(supported)).toBe("200");
    const device = await newMlsClient(guest, { packages: 0 });
    expect(outcome(await device.send(await device.prepareJoin(group.id)))).toBe("201");
    await followTo(owner, 2);
    await owner.write("Welcome, guest");
    await readUntil(device, ["Welcome, guest"]);
    await device.write("Hello");
    await readUntil(owner, ["Hello"]);
    const profile = await api("GET", `/v9/users/${localDomain}/${guest.id}`, { token: team.owner.token });
    expect(profile.body.supported_protocols.toSorted()).toEqual(["mls", "proteus"]);
  });

  it("is not told that it has MLS if the team has none", async () => {
    const { link } = await newGroup({ hasMls: false });
    const guest = await newGuest();
    expect(outcome(await joinByLink(link, guest))).toBe("200");
    expect(await mlsOf(guest)).toMatchObject({ status: "disabled" });
    expect(await storedEvents(guest.token, "feature-config.update")).toEqual([]);
  });
});
