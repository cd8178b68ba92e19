import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { invite, newInvitation } from "../../support/invitations.ts";
import { nextMessage } from "../../support/messages.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { logIn, newEmail, newUser, somePassword } from "../../support/users.ts";

const headers = { "content-type": "application/x-www-form-urlencoded" };
const submit = (fields: Record<string, string>) =>
  api("POST", "/activate/join", { body: new URLSearchParams(fields).toString(), headers });
const show = (code: string, language = "en") =>
  api("GET", `/activate/join?team-code=${code}`, { headers: { "accept-language": language } });
const membersOf = async (team: Team): Promise<string[]> => {
  const { body } = await api("GET", `/teams/${team.id}/members`, { token: team.owner.token });
  return body.members.map(({ user }: { user: string }) => user);
};
const problemIn = (location: string | null) => new URL(`http://host${location}`).searchParams.get("problem");

describe.concurrent("the page of an invitation", () => {
  it("is linked from the mail, and changes nothing until its form is sent", async () => {
    const team = await newTeam({ name: "Engines & Co" });
    const email = newEmail();
    await invite(team, { email, name: "Ada" });
    const { text } = await nextMessage(email, { purpose: "TeamInvitation" });
    const { pathname, search, searchParams } = new URL(/http\S+/.exec(text)?.[0] ?? "");
    for (const method of ["HEAD", "GET", "HEAD"]) {
      const { status, body } = await api(method, pathname + search);
      expect(status).toBe(200);
      if (method === "GET") {
        expect(body).toContain("Engines &#38; Co");
        expect(body).toContain(team.owner.email);
        expect(body).toContain(email);
        expect(body).toContain('value="Ada"');
      }
    }
    expect(await membersOf(team)).toEqual([team.owner.id]);
    const code = searchParams.get("team-code") ?? "";
    const joined = await submit({ "team-code": code, name: "Ada Lovelace", password: somePassword });
    expect([joined.status, joined.setCookie]).toEqual([200, undefined]);
    expect(joined.body).toContain("You are now a member of the team Engines &#38; Co.");
    const login = await logIn({ email, password: somePassword });
    const { body } = await api("GET", "/self", { token: login.body.access_token });
    expect(body).toMatchObject({ name: "Ada Lovelace", email, team: team.id, locale: "en" });
    expect(outcome(await show(code))).toBe("400 invalid-invitation-code");
    expect(outcome(await submit({ "team-code": code, name: "Eve", password: somePassword }))).toBe(
      "400 invalid-invitation-code",
    );
  });

  it("asks a user with an account for the password, and lets the account join", async () => {
    const [team, ada] = await Promise.all([newTeam(), newUser({ name: "Ada" })]);
    const { code } = await newInvitation(team, { email: ada.email });
    const { body } = await show(code);
    expect(body).toContain("Your password");
    expect(body).not.toContain('name="name"');
    const wrong = await submit({ "team-code": code, password: "a wrong password" });
    expect([wrong.status, problemIn(wrong.headers.get("location"))]).toEqual([303, "wrong-password"]);
    expect(await membersOf(team)).toEqual([team.owner.id]);
    const again = await api("GET", wrong.headers.get("location") ?? "");
    expect(again.body).toContain("That is not the password of your account.");
    expect((await submit({ "team-code": code, password: ada.password })).status).toBe(200);
    expect((await api("GET", "/self", { token: ada.token })).body).toMatchObject({
      name: "Ada",
      team: team.id,
    });
  });

  it.each([
    ["an empty name", { name: " ", password: somePassword }, "no-name"],
    ["no name", { password: somePassword }, "no-name"],
    ["a short password", { name: "Ada", password: "1234567" }, "short-password"],
    ["a long password", { name: "Ada", password: "x".repeat(1025) }, "short-password"],
    ["no password", { name: "Ada" }, "short-password"],
  ])("shows the form again for %s", async (_, fields, problem) => {
    const { code } = await newInvitation(await newTeam());
    const answer = await submit({ "team-code": code, ...fields } as Record<string, string>);
    expect([answer.status, problemIn(answer.headers.get("location"))]).toEqual([303, problem]);
    expect((await show(code)).status).toBe(200);
  });

  it("explains why an account cannot join", async () => {
    const [team, other, ada] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const first = await newInvitation(team, { email: ada.email });
    const second = await newInvitation(other, { email: ada.email });
    expect((await submit({ "team-code": first.code, password: ada.password })).status).toBe(200);
    const refused = await fetch(`${sharedStack().publicUrl}/activate/join?team-code=${second.code}`, {
      headers: { accept: "text/html" },
    });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("is already in a team");
    expect(outcome(await submit({ "team-code": second.code, password: ada.password }))).toBe(
      "403 cannot-join-multiple-teams",
    );
  });

  it.each([
    ["en", "Join a team"],
    ["de-CH", "Einem Team beitreten"],
    ["es", "Únase a un equipo"],
    ["fr", "Rejoignez une équipe"],
  ])("is in the language of the browser (%s)", async (language, title) => {
    const { code } = await newInvitation(await newTeam());
    const { body, headers: sent } = await show(code, language);
    expect(body).toContain(`<h1>${title}</h1>`);
    expect(sent.get("content-security-policy")).toContain("default-src 'none'");
  });

  it("escapes values chosen by others", async () => {
    const team = await newTeam({ name: `<img src=x onerror="alert(1)">` });
    const { code } = await newInvitation(team, { name: `"><script>` });
    const { body } = await show(code);
    expect(body).not.toMatch(/<img|<script/);
    const forged = await api("GET", `/activate/join?team-code=${code}&problem=${encodeURIComponent("<b>")}`);
    expect([forged.status, forged.body.includes("<b>")]).toEqual([200, false]);
    expect(outcome(await api("GET", "/activate/join?team-code=%3Cb%3E"))).toBe("400 bad-request");
  });
});

describe("the limit on passwords", () => {
  it("applies to the page as it does to logins", async () => {
    const stack = await stackWith({
      setPasswordHashingRateLimit: { perUser: { burst: 2, refillSeconds: 600 } },
    });
    const [team, ada] = await Promise.all([newTeam({}, stack), newUser({}, stack)]);
    const { code } = await newInvitation(team, { email: ada.email }, stack);
    const guess = async (password: string) => {
      const body = new URLSearchParams({ "team-code": code, password }).toString();
      const answer = await stack.publicApi("POST", "/activate/join", { body, headers });
      return problemIn(answer.headers.get("location"));
    };
    for (const attempt of ["first guess", "second guess"])
      expect(await guess(attempt)).toBe("wrong-password");
    expect(await guess(ada.password)).toBe("too-many-attempts");
  });
});
