import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { nextMessage } from "../../support/messages.ts";
import { activate, newEmail, newPhone, register, somePassword } from "../../support/users.ts";

const team = { name: "Engines", icon: "default", icon_key: "key", currency: "EUR" };

/** Register with a team. @returns the answer and an access token */
async function found(fields: Record<string, unknown> = {}) {
  const email = newEmail();
  const answer = await register({ email, password: somePassword, team, ...fields });
  const access = await api("POST", "/access", { cookie: answer.cookie });
  return { answer, email, id: answer.body.id, teamId: answer.body.team, token: access.body.access_token };
}

describe.concurrent("registration with a team", () => {
  it("founds it, with the new user as owner, whom team.create reaches", async () => {
    const { answer, id, teamId, token } = await found();
    expect(answer.status).toBe(201);
    const view = {
      id: teamId,
      creator: id,
      name: "Engines",
      icon: "default",
      icon_key: "key",
      splash_screen: "default",
      binding: true,
    };
    expect((await api("GET", `/teams/${teamId}`, { token })).body).toEqual(view);
    const { body } = await api("GET", `/teams/${teamId}/members/${id}`, { token });
    expect(body).toMatchObject({
      permissions: { self: 8191, copy: 8191 },
      created_by: null,
      created_at: null,
    });
    await eventually(async () => {
      expect(await storedEvents(token, "team.create")).toEqual([
        { type: "team.create", team: teamId, time: expect.any(String), data: view },
      ]);
    });
  });

  it("mails a code with the name of the team, again when it is asked for again", async () => {
    const { email } = await found({ team: { ...team, name: "Babbage & Co" } });
    const first = await nextMessage(email, { purpose: "Activation" });
    expect(first.text).toContain("New team: Babbage");
    expect(first.headers).toMatchObject({
      "X-Svc-Key": expect.any(String),
      "X-Svc-Code": expect.any(String),
    });
    expect((await api("POST", "/activate/send", { json: { email } })).status).toBe(200);
    const again = await nextMessage(email, { purpose: "Activation", count: 2 });
    expect(again.text).toContain("New team: Babbage");
    expect(again.headers["X-Svc-Code"]).toBe(first.headers["X-Svc-Code"]);
  });

  it("leaves account and team alone when a code is wrong", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const refused = await register({ email, email_code: "000000", password: somePassword, team });
    expect(outcome(refused)).toBe("404 invalid-code");
  });

  it.each([
    ["a name that is empty", { name: "", icon: "default" }],
    ["a name of more than 256 characters", { name: "x".repeat(257), icon: "default" }],
    ["an icon that is no asset", { name: "T", icon: "picture.png" }],
    ["no icon", { name: "T" }],
    ["a currency that is none", { name: "T", icon: "default", currency: "Euro" }],
  ])("refuses %s", async (_, bad) => {
    const answer = await register({ email: newEmail(), password: somePassword, team: bad });
    expect(outcome(answer)).toBe("400 bad-request");
  });

  it("refuses a founder without a password, and one without an address", async () => {
    expect(outcome(await register({ email: newEmail(), team }))).toBe("400 bad-request");
    expect(outcome(await register({ password: somePassword, team }))).toBe("403 missing-identity");
  });

  it("is open to a founder with a phone number only", async () => {
    const phone = newPhone();
    const answer = await register({ phone, password: somePassword, team });
    expect(answer.status).toBe(201);
    expect((await activate({ phone })).status).toBe(200);
  });
});
