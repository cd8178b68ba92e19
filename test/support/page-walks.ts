import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { exampleKey } from "#shared/platform/outbound/service-types.ts";
import { api } from "./api.ts";
import { follow } from "./browser.ts";
import { newSsoTeam, registeredProvider } from "./identity-providers.ts";
import { newInvitation } from "./invitations.ts";
import { nextMessage } from "./messages.ts";
import { newApp, newTokens, requestOf } from "./oauth.ts";
import { newProvider, newProviderEmail, registerProvider } from "./providers.ts";
import { finalizeLogin, initiateLogin, readLoginForm, samlNames } from "./saml.ts";
import { sharedStack } from "./shared-stack.ts";
import { stackWith } from "./stack-with.ts";
import { newTeam, teamWithSecondFactor } from "./teams.ts";
import { newEmail, newUser, register, somePassword, type User } from "./users.ts";

/** A walker through the pages of the shared stack, in English. */
export interface Walker {
  readonly tab: Page;
  /** Open a path of the shared stack, or a URL. */
  readonly open: (path: string) => Promise<void>;
  /** Press a button. */
  readonly press: (name: string) => Promise<void>;
  /** Looks at the page that is open; the name tells its pictures apart. */
  readonly look: (name: string) => Promise<void>;
}

const deepLink = {
  blackListURL: "https://clients.example.com/blacklist",
  teamsURL: "https://teams.example.com",
  accountsURL: "https://accounts.example.com",
  websiteURL: "https://www.example.com",
};

const logo = (fill: string) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1"><rect width="4" height="1" fill="${fill}"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
};
const branding = {
  accent: { light: "#0a7a4b", dark: "#6fdca8" },
  logo: { light: logo("#0a7a4b"), dark: logo("#6fdca8") },
  legalLinks: { terms: "https://example.com/terms", privacy: "https://example.com/privacy" },
};

/** Pages must show any name of people and apps as it is, and still fit on a phone. */
const longName = `<b>Ada</b> "&amp;</title>${"Wolkenstein-Schillingsfürst".repeat(3)}`;

/**
 * Walks through all pages for people except the API document, with the problems that they show. Together they open
 * every page.
 */
export const pageWalks: Readonly<Record<string, (walker: Walker) => Promise<void>>> = {
  "home and links": async ({ open, look }) => {
    await open("/");
    await look("home");
    await open("/deeplink.html");
    await look("not-found");
    const { publicUrl } = await stackWith({ deepLink, webAppUrl: deepLink.websiteURL, branding });
    await open(publicUrl);
    await look("home-branded");
    await open(`${publicUrl}/deeplink.html`);
    await look("deep-link");
    await open(`${publicUrl}/sso/initiate-login/${randomUUID()}`);
    await look("sso-unknown-branded");
    await open("/conversation-join/?key=nJR2ZpFAuX2m6nYJ4HsV&code=A9FdVqzZ4cTzVqwsYH1c");
    await look("guest-link");
    await open("/conversation-join/?key=1");
    await look("guest-link-incomplete");
    await open(`${publicUrl}/user-profile/?id=${randomUUID()}`);
    await look("profile-link");
    await open("/user-profile/?id=1");
    await look("profile-link-incomplete");
    await open("/forgot/");
    await look("forgotten-password");
  },

  "log in to the account": async ({ open, look, tab, press }) => {
    const user = await newUser();
    await open("/account/profile");
    await look("account-login");
    await tab.getByLabel("E-mail address or handle").fill(user.email);
    await tab.getByLabel("Password").fill("wrong password");
    await press("Log in");
    await look("account-login-wrong");
    await open("/account/login");
    await look("account-form-without-a-page");
  },

  "the own account": async ({ open, look, tab, press }) => {
    const [user, app] = await Promise.all([newUser({ name: longName }), newApp({ name: longName })]);
    await logInOnPages({ open, tab, press }, user);
    await look("account-profile");
    await press("Save – Name");
    await look("account-profile-saved");
    await open("/account/security");
    await look("account-security");
    await open("/account/sessions");
    await look("account-sessions");
    await tab.getByRole("radio").first().check();
    await tab.getByLabel("Your password").fill("wrong password");
    await press("End this session");
    await look("account-sessions-wrong");
    await open("/account/apps");
    await look("account-apps-none");
    await newTokens(app, user);
    await open("/account/apps");
    await look("account-apps");
    await open("/account/deletion");
    await look("account-deletion");
    await tab.getByLabel("Your password").fill("wrong password");
    await press("Delete account");
    await look("account-deletion-wrong");
  },

  "the own account, through the company": async ({ open, look, tab, press }) => {
    const team = await newSsoTeam();
    const { id, idp } = await registeredProvider(team, { query: { api_version: "v2" } });
    const nameId = { text: "Ada Lovelace" };
    const known = await initiateLogin({ id });
    await finalizeLogin({ teamId: team.id, apiVersion: "v2" }, idp.respond(known, { nameId }));
    await tab.route(`${new URL(idp.requestUri).origin}/**`, async (route) => {
      const request = readLoginForm(route.request().postData() ?? "");
      const address = `${sharedStack().publicUrl}/sso/finalize-login/${team.id}`;
      await route.fulfill(selfPosting(address, idp.respond(request, { nameId })));
    });
    await open("/account/profile");
    await tab.getByLabel("Login code").fill("nobody@example.com");
    await press("Continue to your company");
    await look("account-company-unknown");
    await tab.getByLabel("Login code").fill(`svc-${id}`);
    await press("Continue to your company");
    await tab.getByRole("heading", { name: "Profile" }).waitFor();
    await look("account-profile-company");
    await open("/account/security");
    await look("account-security-company");
    await open("/account/sessions");
    await look("account-sessions-company");
    await open("/account/deletion");
    await look("account-deletion-company");
  },

  "the own team": async ({ open, look, tab, press }) => {
    const team = await newSsoTeam();
    await Promise.all([
      team.add("member", { name: longName }),
      registeredProvider(team, { query: { api_version: "v2" } }),
    ]);
    await logInOnPages({ open, tab, press }, team.owner);
    await look("account-profile-of-admin");
    await follow(tab.getByRole("link", { name: "Your team" }));
    await look("team-members");
    await follow(tab.getByRole("link", { name: longName }));
    await look("team-member");
    await tab.getByLabel("Role").selectOption("admin");
    await press("Change role");
    await look("team-members-changed");
    await follow(tab.getByRole("link", { name: "Invitations" }));
    await look("team-invitations-none");
    await tab.getByLabel("E-mail address").fill(newEmail());
    await press("Invite");
    await look("team-invitations");
    await follow(tab.getByRole("link", { name: "Features" }));
    await look("team-features");
    await press("Switch off – Files");
    await look("team-features-changed");
    await follow(tab.getByRole("link", { name: "Company login" }));
    await look("team-providers");
    await tab.getByLabel("Metadata of your identity provider").fill("<nothing/>");
    await press("Add");
    await look("team-providers-refused");
    await follow(tab.getByRole("link", { name: "Directory" }));
    await look("team-tokens-none");
    await tab.getByLabel("What it is for").fill(longName);
    await tab.getByLabel("Your password").fill(team.owner.password);
    await press("Create token");
    await look("team-tokens");
    await follow(tab.getByRole("link", { name: "Audit trail" }));
    await look("team-audit");
    await follow(tab.getByRole("link", { name: "Day before" }));
    await look("team-audit-none");
  },

  "an account that a directory manages": async ({ open, look, tab, press }) => {
    const user = await (await newTeam()).add("member", { provisioned: { managedByScim: true } });
    await logInOnPages({ open, tab, press }, user);
    await look("account-profile-managed");
  },

  "an account with a second factor": async ({ open, look, tab, press }) => {
    const { owner } = await teamWithSecondFactor();
    await logInOnPages({ open, tab, press }, owner);
    await look("account-second-factor");
    await tab.getByLabel("Verification code").fill(await secondFactorCode(owner));
    await press("Continue");
    await open("/account/security");
    await look("account-security-second-factor");
  },

  "reset a password": async ({ open, look, tab, press }) => {
    const user = await newUser();
    await open("/password-reset/page/request");
    await look("reset-request");
    await tab.getByLabel("E-mail address or phone number").fill(user.email);
    await press("Send code");
    await look("reset-complete");
    const { headers } = await nextMessage(user.email, { purpose: "PasswordReset" });
    await tab.getByLabel("Code").fill(headers["X-Svc-Code"] ?? "");
    await tab.getByLabel("New password").fill(somePassword);
    await press("Set password");
    await look("reset-complete-same");
    await tab.getByLabel("Code").fill(headers["X-Svc-Code"] ?? "");
    await tab.getByLabel("New password").fill("another horse battery");
    await press("Set password");
    await look("reset-done");
    const other = await newUser();
    await api("POST", "/password-reset", { json: { email: other.email } });
    const link = await linkTo(other.email, "PasswordReset");
    await tab.goto(link);
    await look("reset-linked");
    await tab.getByLabel("New password").fill(somePassword);
    await press("Set password");
    await look("reset-linked-same");
    await tab.getByLabel("New password").fill("another horse battery");
    await press("Set password");
    await tab.goto(link);
    await tab.getByLabel("New password").fill("a third horse battery");
    await press("Set password");
    await look("reset-linked-again");
    await open("/password-reset/page/complete?problem=nonsense");
    await look("reset-bad-link");
  },

  "give an app access": async ({ open, look, tab, press }) => {
    const [user, app] = await Promise.all([newUser({ name: longName }), newApp({ name: longName })]);
    const scope = "read:self write:conversations write:conversations_code read:feature_configs";
    const request = new URLSearchParams(requestOf(app, { scope }));
    await open(`/authorize?${request}`);
    await look("authorize-login");
    await tab.getByLabel("Login code").fill("nobody@example.com");
    await press("Continue to your company");
    await look("authorize-company-unknown");
    await tab.getByLabel("E-mail address or handle").fill(user.email);
    await tab.getByLabel("Password").fill(user.password);
    await press("Log in");
    await look("authorize-consent");
    await open("/authorize?client_id=unknown");
    await look("authorize-refused");
  },

  "give an app access with a second factor": async ({ open, look, tab, press }) => {
    const [{ owner }, app] = await Promise.all([teamWithSecondFactor(), newApp()]);
    await open(`/authorize?${new URLSearchParams(requestOf(app, { scope: "" }))}`);
    await tab.getByLabel("E-mail address or handle").fill(owner.email);
    await tab.getByLabel("Password").fill(owner.password);
    await press("Log in");
    await look("authorize-second-factor");
  },

  "log out for an app": async ({ open, look, tab, press }) => {
    const [user, app, { publicUrl }] = await Promise.all([
      newUser({ name: longName }),
      newApp(),
      stackWith({ setOAuthOpenIdEnabled: true }),
    ]);
    await open(`${publicUrl}/authorize?${new URLSearchParams(requestOf(app, { scope: "openid" }))}`);
    await tab.getByLabel("E-mail address or handle").fill(user.email);
    await tab.getByLabel("Password").fill(user.password);
    await press("Log in");
    await look("authorize-sign-in");
    await open(`${publicUrl}/authorize/end-session`);
    await look("end-session");
    await press("Log out");
    await look("end-session-done");
  },

  "confirm an address": async ({ tab, look, press }) => {
    const email = newEmail();
    await register({ email, password: somePassword });
    const link = await linkTo(email, "Activation");
    await tab.goto(link);
    await look("activation");
    await press("Confirm e-mail address");
    await look("activation-done");
    await tab.goto(`${link}0`);
    await press("Confirm e-mail address");
    await look("activation-refused");
    await tab.goto(link.replace(/&code.*/, ""));
    await look("activation-incomplete");
  },

  "delete an account by mail": async ({ tab, look, press }) => {
    const user = await newUser();
    await api("DELETE", "/self", { token: user.token, json: {} });
    const link = await linkTo(user.email, "Delete");
    await tab.goto(link);
    await look("deletion");
    await press("Delete account");
    await look("deletion-done");
    await tab.goto(link);
    await press("Delete account");
    await look("deletion-refused");
  },

  "join a team": async ({ open, look, tab, press }) => {
    const [team, known] = await Promise.all([newTeam({ name: longName }), newUser()]);
    const [stranger, invitee] = await Promise.all([
      newInvitation(team),
      newInvitation(team, { email: known.email }),
    ]);
    await open(`/activate/join?team-code=${invitee.code}`);
    await look("join-with-account");
    await tab.getByLabel("Your password").fill("wrong password");
    await press("Join the team");
    await look("join-with-account-wrong");
    await open(`/activate/join?team-code=${stranger.code}`);
    await look("join");
    await tab.getByLabel("Your name").fill("Grace");
    await tab.getByLabel("Choose a password").fill(somePassword);
    await press("Create account and join");
    await look("join-done");
    await open(`/activate/join?team-code=${stranger.code}`);
    await look("join-refused");
  },

  "become a provider of services": async ({ tab, look, press }) => {
    const email = newProviderEmail();
    await registerProvider({ email });
    const link = await linkTo(email, "ProviderActivation");
    await tab.goto(link);
    await look("provider-activation");
    await press("Confirm e-mail address");
    await look("provider-activation-done");
    await tab.goto(`${link}0`);
    await press("Confirm e-mail address");
    await look("provider-activation-refused");
  },

  "look after services as a provider": async ({ open, look, tab, press }) => {
    await open("/provider/page/account");
    await look("provider-login");
    const { email, password } = await newProvider();
    await open("/provider/page/register");
    await look("provider-register");
    await tab.getByLabel("Name").fill("Acme");
    await tab.getByLabel("Web site").fill("https://acme.example.com");
    await tab.getByLabel("What you offer").fill("Bots for everybody");
    await tab.getByLabel("E-mail address").fill(email);
    await tab.getByLabel("New password").fill(somePassword);
    await press("Register");
    await look("provider-register-wrong");
    await open("/provider/page/register?outcome=registered");
    await look("provider-registered");
    await open("/provider/page/reset");
    await look("provider-reset-request");
    await open("/provider/page/account");
    await tab.getByLabel("E-mail address").fill(email);
    await tab.getByLabel("Your password").fill("wrong password");
    await press("Log in");
    await look("provider-login-wrong");
    await tab.getByLabel("E-mail address").fill(email);
    await tab.getByLabel("Your password").fill(password);
    await press("Log in");
    await look("provider-services-none");
    await follow(tab.getByRole("link", { name: "Create a service" }));
    await look("provider-service-new");
    await tab.getByLabel("Name of the service").fill(longName);
    await tab.getByLabel("Summary").fill("Asks questions");
    await tab.getByLabel("What it does").fill("Asks a question whenever somebody writes the word quiz");
    await tab.getByLabel("Tag 1").selectOption("quiz");
    await tab.getByLabel("Address").fill("https://quiz.example.com");
    await tab.getByLabel("Public key").fill("nothing");
    await press("Create");
    await look("provider-service-new-wrong");
    await tab.getByLabel("Public key").fill(exampleKey);
    await press("Create");
    await look("provider-service");
    await open("/provider/services/page/list");
    await look("provider-services");
    await open("/provider/page/account");
    await look("provider-account");
    await tab.getByLabel("New e-mail address").fill(newProviderEmail());
    await tab.locator("#email-password").fill(password);
    await press("Change e-mail address");
    await look("provider-account-email-sent");
    await follow(tab.getByRole("link", { name: "Delete the account and all its services" }));
    await look("provider-deletion");
    await tab.getByLabel("Your password").fill("wrong password");
    await press("Delete account");
    await look("provider-deletion-wrong");
    await open(`/provider/services/page/one?id=${randomUUID()}`);
    await look("provider-service-unknown");
    await open("/provider/page/deletion");
    await tab.getByLabel("Your password").fill(password);
    await press("Delete account");
    await look("provider-deleted");
  },

  "reset a provider's password": async ({ tab, look, press }) => {
    const { email, password } = await newProvider();
    await api("POST", "/provider/password-reset", { json: { email } });
    await tab.goto(await linkTo(email, "ProviderPasswordReset"));
    await look("provider-reset");
    await tab.getByLabel("New password").fill(password);
    await press("Set password");
    await look("provider-reset-same");
    await tab.getByLabel("New password").fill("another horse battery");
    await press("Set password");
    await look("provider-reset-done");
  },

  "log in by an identity provider": async ({ open, look, tab }) => {
    const team = await newSsoTeam();
    const { id, idp } = await registeredProvider(team, { query: { api_version: "v2" } });
    const legacy = await registeredProvider(await newSsoTeam(), { query: { api_version: "v1" } });
    // The page submits itself; an answer without content leaves it open.
    await tab.route(`${new URL(idp.requestUri).origin}/**`, (route) => route.fulfill({ status: 204 }));
    await open(`/sso/initiate-login/${id}`);
    await look("sso-request");
    const post = async (response: string, name: string, path = `/sso/finalize-login/${team.id}`) => {
      const page = selfPosting(sharedStack().publicUrl + path, response);
      await tab.route("https://poster.example/", (route) => route.fulfill(page));
      await tab.goto("https://poster.example/");
      await tab.waitForURL(`${sharedStack().publicUrl}/**`);
      await tab.unroute("https://poster.example/");
      await look(name);
    };
    await post(idp.respond(await initiateLogin({ id })), "sso-success");
    await post(idp.respond(await initiateLogin({ id }), { status: samlNames.responder }), "sso-denied");
    await post(legacy.idp.respond(await initiateLogin(legacy)), "sso-success-v1", "/sso/finalize-login");
    await post("bm9uc2Vuc2U=", "sso-unusable");
    await open(`/sso/initiate-login/${randomUUID()}`);
    await look("sso-unknown");
  },
};

/** A page of an identity provider, which posts its response. */
const selfPosting = (address: string, response: string) => ({
  contentType: "text/html",
  body: `<!doctype html><title>Identity provider</title><body onload="document.forms[0].submit()">
<form method="post" action="${address}"><input type="hidden" name="SAMLResponse" value="${response}"></form>`,
});

/** The link in the newest mail with a purpose. */
async function linkTo(email: string, purpose: string): Promise<string> {
  const { text } = await nextMessage(email, { purpose });
  return /http\S+/.exec(text)?.[0] ?? "";
}

async function logInOnPages(
  { open, tab, press }: Pick<Walker, "open" | "tab" | "press">,
  { email, password }: User,
): Promise<void> {
  await open("/account/profile");
  await tab.getByLabel("E-mail address or handle").fill(email);
  await tab.getByLabel("Password").fill(password);
  await press("Log in");
}

async function secondFactorCode({ email }: User): Promise<string> {
  const { headers } = await nextMessage(email, { purpose: "SecondFactorVerification" });
  return headers["X-Svc-Code"] ?? "";
}
