import type { Account } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import {
  beginSession,
  endSession,
  pageLabel,
  visitorOf,
} from "#shared/accounts/page-login/account-session.ts";
import {
  checkLogInCode,
  checkLogInPassword,
  type LoggedIn,
} from "#shared/accounts/page-login/check-log-in.ts";
import { newSession, type PageSession } from "#shared/accounts/page-login/page-session.ts";
import { needsSecondFactor } from "#shared/accounts/second-factor/second-factor.ts";
import { changePassword } from "#shared/accounts/self/change-password.ts";
import {
  changeHandle,
  changeLocale,
  changeProfile,
  hasFixedHandle,
  hasFixedName,
} from "#shared/accounts/self/change-profile.ts";
import { deleteSelf } from "#shared/accounts/self/delete-self.ts";
import { removeCookies } from "#shared/accounts/self/remove-cookies.ts";
import { confirmPassword, listAuthorizedApps } from "#shared/oauth/authorized-apps.ts";
import { countCharacters } from "#shared/platform/count-characters.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { leaveForCompany, returnFromCompany } from "./company-login.ts";
import type { Deps } from "./deps.ts";
import { attempt, onForm, onOwnForm } from "./on-form.ts";
import type { Done } from "./pages/outcomes.ts";
import { appsPage, deletionPage, keptPage, profilePage, securityPage, sessionsPage } from "./pages/pages.ts";
import type { routes } from "./routes.ts";
import { showPage } from "./show-page.ts";

/** As in the interface. */
const longestName = 128;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { clock, grants, settings } = deps;
  const logIn = { ...deps, begin: (user: LoggedIn) => beginSession(deps, user) };

  /** Shown after an action that ends the session of these pages. */
  const leave = (outcome: Done): PageSession => newSession("started", { outcome });

  return {
    "get-account-page": (input) =>
      showPage(deps, "profile", input, async (frame, { account }) => {
        const [isNameFixed, isHandleFixed] = await Promise.all([
          hasFixedName(deps, account),
          hasFixedHandle(deps, account),
        ]);
        const { managedByScim: locale } = account;
        const fixed = { locale, name: locale || isNameFixed, handle: locale || isHandleFixed };
        return profilePage(frame, { account, fixed });
      }),

    "post-account-login": (input) =>
      onForm(deps, input, "profile", async (session) =>
        session.step === "logged-in"
          ? undefined
          : checkLogInPassword(logIn, session, input.body, input.sourceIp),
      ),

    "post-account-code": (input) =>
      onForm(deps, input, "profile", async (session) =>
        session.step === "password-given"
          ? checkLogInCode(logIn, session, input.body.code, input.sourceIp)
          : undefined,
      ),

    "post-account-company": (input) => leaveForCompany(deps, input),

    "get-account-company": (input) => returnFromCompany(deps, input),

    "post-account-logout": (input) =>
      onForm(deps, input, "profile", async (session) => {
        const visitor = await visitorOf(deps, session);
        if (visitor !== undefined) await endSession(deps, visitor);
        return visitor === undefined ? newSession("started") : leave("logged-out");
      }),

    "post-account-name": (input) =>
      onOwnForm(deps, input, "profile", async ({ account }) => {
        const name = input.body.name.trim();
        if (name === "" || countCharacters(name) > longestName) return "invalid-name";
        return (
          (await attempt(() => changeProfile(deps, { userId: account.userId }, { name }))) ?? "name-changed"
        );
      }),

    "post-account-handle": (input) =>
      onOwnForm(deps, input, "profile", async ({ account }) => {
        const handle = input.body.handle.trim().replace(/^@/, "");
        return (
          (await attempt(() => changeHandle(deps, { userId: account.userId }, handle))) ?? "handle-changed"
        );
      }),

    "post-account-language": (input) =>
      onOwnForm(
        deps,
        input,
        "profile",
        async ({ account: { userId } }) =>
          (await attempt(() => changeLocale(deps, { userId }, input.body.locale))) ?? "language-changed",
      ),

    "get-account-security-page": (input) =>
      showPage(deps, "security", input, async (frame, { account }) => {
        const { email, teamId, samlIdentity } = account;
        const logsInByCompany = samlIdentity !== undefined;
        const isNeeded = await needsSecondFactor(deps, { teamId, hasSamlIdentity: logsInByCompany });
        return securityPage(frame, { codesTo: isNeeded ? email : undefined, logsInByCompany });
      }),

    "post-account-password": (input) =>
      onOwnForm(deps, input, "security", async ({ account }) => {
        if (account.passwordHash === undefined) return "managed";
        const { password: oldPassword, new_password: newPassword } = input.body;
        if (!accountTypes.newPassword.safeParse(newPassword).success) return "short-password";
        const problem = await attempt(() =>
          changePassword(deps, account.userId, { oldPassword, newPassword }),
        );
        return problem ?? leave("password-changed");
      }),

    "get-account-sessions-page": (input) =>
      showPage(deps, "sessions", input, (frame, { account, cookies, session }, language) =>
        sessionsPage(frame, {
          cookies: cookies
            .filter(({ expiresAt, successor }) => expiresAt > clock() && successor === undefined)
            .toSorted((one, other) => other.createdAt - one.createdAt),
          ownId: session.cookieId,
          pageLabel,
          language,
          mayEnd: account.email !== undefined || account.samlIdentity !== undefined,
        }),
      ),

    "post-account-sessions": (input) =>
      onOwnForm(deps, input, "sessions", async ({ account: { userId }, session: own }) => {
        const { password = "", session, which } = input.body;
        if (which === "one" && session === undefined) return "no-choice";
        const ids = which === "all" || session === undefined ? [] : [session];
        const problem = await attempt(() => removeCookies(deps, { userId, password, ids, labels: [] }));
        if (problem !== undefined) return problem;
        if (which === "all") return leave("logged-out-everywhere");
        return session === own.cookieId ? leave("logged-out") : "session-ended";
      }),

    "get-account-apps-page": (input) =>
      showPage(deps, "apps", input, async (frame, { account }, language) => {
        const apps = await listAuthorizedApps(deps, account.userId);
        const listed = apps.map(({ id, name, sessions }) => ({
          id,
          name,
          since: Date.parse(sessions[0]?.created_at ?? ""),
        }));
        return appsPage(frame, { apps: listed, language });
      }),

    "post-account-apps": (input) =>
      onOwnForm(deps, input, "apps", async ({ account: { userId } }) => {
        const { app, password } = input.body;
        if (app === undefined) return "no-choice";
        const problem = await attempt(() => confirmPassword(deps, userId, password));
        if (problem !== undefined) return problem;
        await grants.remove(userId, ({ clientId }) => clientId === app);
        return "app-revoked";
      }),

    "get-account-deletion-page": (input) =>
      showPage(deps, "deletion", input, (frame, { account }) =>
        isOfOrganisation(account) ? keptPage(frame) : deletionPage(frame, settings.productName),
      ),

    "post-account-deletion": (input) =>
      onOwnForm(deps, input, "deletion", async ({ account }) => {
        if (isOfOrganisation(account)) return "managed";
        const { userId } = account;
        const { password } = input.body;
        const problem = await attempt(() =>
          deleteSelf(deps, { userId }, { password, sourceIp: input.sourceIp }),
        );
        return problem ?? leave("deleted");
      }),
  };
}

/** Whether an organisation created the account or lets its user in. If so, only the organisation may delete it. */
const isOfOrganisation = ({ managedByScim, samlIdentity }: Account): boolean =>
  managedByScim || samlIdentity !== undefined;
