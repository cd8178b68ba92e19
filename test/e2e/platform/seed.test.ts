import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readLocalSettings } from "#lib/local/local-settings.ts";
import { type Seeded, seed } from "#lib/local/seed/seed.ts";
import { outcome } from "../../support/api.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { activationCode, register, somePassword } from "../../support/users.ts";

let stack: OwnStack;
const runs: Seeded[] = [];
beforeAll(async () => {
  stack = await ownStack(readLocalSettings());
});
afterAll(() => {
  for (const { stop } of runs) stop();
});

async function seeded(): Promise<Seeded> {
  const run = await seed(stack);
  runs.push(run);
  return run;
}

describe("the seeded data", () => {
  it("is completed after a start that was ended half-way, and stays the same from then on", async () => {
    const email = "ada@engines.example";
    await stack.publicApi("POST", "/activate/send", { json: { email } });
    const { code } = await activationCode({ email }, stack);
    const registered = await register(
      { email, email_code: code, password: somePassword, team: { name: "Engines", icon: "default" } },
      stack,
    );
    expect(outcome(registered)).toBe("201");
    const { body: login } = await stack.publicApi("POST", "/login", {
      json: { email, password: somePassword },
    });
    const { body: self } = await stack.publicApi("GET", "/self", { token: login.access_token });
    const json = { email: "ben@engines.example", role: "admin" };
    const path = `/v9/teams/${self.team}/invitations`;
    expect((await stack.publicApi("POST", path, { token: login.access_token, json })).status).toBe(201);

    const first = await seeded();
    const second = await seeded();
    expect(first.team.id).toBe(self.team);
    expect(first.team.people.map(({ name, role }) => `${name} ${role}`)).toEqual([
      "Ada owner",
      "Ben admin",
      "Cleo member",
      "Dan member",
      "Eve partner",
    ]);
    const idsOf = ({ team, channel, group, app, bot }: Seeded) => [
      ...team.people.map(({ id }) => id),
      ...[team.id, channel.id, group.id, app.id, bot.service],
    ];
    expect(idsOf(second)).toEqual(idsOf(first));
    const { body: size } = await stack.internalApi("GET", `/i/teams/${self.team}/size`);
    expect(size.teamSize).toBe(5);
    expect(first.description).toMatch(/^ {2}name +role +email +access token, for 15 minutes$/m);
    expect(first.description).toContain(`secret ${first.app.secret}`);
    expect(second.description).not.toContain("secret");
  });

  it("has one bot, a channel, and tokens with which everybody can call", async () => {
    const { team, channel, group, bot } = await seeded();
    for (const { token, email } of team.people)
      expect((await stack.publicApi("GET", "/self", { token })).body.email).toBe(email);
    const read = async ({ id, domain }: typeof group) => {
      const [{ token }] = team.people;
      return (await stack.publicApi("GET", `/v9/conversations/${domain}/${id}`, { token })).body;
    };
    const { members } = await read(group);
    expect(members.others).toHaveLength(5);
    const bots = members.others.filter((member: { service?: object }) => member.service);
    expect(bots.map(({ id }: { id: string }) => id)).toEqual([bot.id]);
    expect(await read(channel)).toMatchObject({ group_conv_type: "channel", protocol: "mls" });
  });
});
