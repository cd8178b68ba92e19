import * as z from "zod";
import { chooseLocale } from "#shared/platform/html/choose-locale.ts";
import { requireSameOrigin } from "#shared/platform/html/form-origin.ts";
import type { Html } from "#shared/platform/html/html.ts";
import { renderPage } from "#shared/platform/html/page.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { checkProviderPassword } from "#shared/services/check-provider-password.ts";
import { attemptAsProvider } from "#shared/services/provider-pages/attempt-as-provider.ts";
import {
  leadTo,
  providerHome,
  providerOfForm,
  providerVisit,
} from "#shared/services/provider-pages/provider-visit.ts";
import { providerFields } from "#shared/services/provider-view.ts";
import { providerCookie } from "#shared/sessions/tokens/authenticate.ts";
import { changeEmail, changePassword, changeProvider } from "../change-provider.ts";
import { deleteProvider } from "../delete-provider.ts";
import type { Deps } from "../deps.ts";
import { logIn } from "../log-in.ts";
import { registerProvider } from "../register-provider.ts";
import { requestReset } from "../reset-password.ts";
import { isNewPassword } from "../routes.ts";
import { asOutcome, type Outcome, readOutcome } from "./outcomes.ts";
import { accountPage, deletionPage, logInPage, registrationPage, resetRequestPage } from "./pages.ts";
import type { routes } from "./routes.ts";
import { translations } from "./texts.ts";

const fields = z.object(providerFields);
const registerPath = "/provider/page/register";
const deletionPath = "/provider/page/deletion";
const resetPath = "/provider/page/reset";
const forgotten = `${providerCookie}=; Path=/provider; Max-Age=0; HttpOnly; Secure; SameSite=Lax`;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { config, settings } = deps;
  const home = (outcome?: Outcome, cookies?: readonly string[]) =>
    leadTo(providerHome, outcome === undefined ? {} : { outcome }, cookies);

  const show = (
    headers: { readonly "Accept-Language"?: string | undefined },
    content: (texts: (typeof translations)["en"], language: keyof typeof translations) => [string, Html],
  ) => {
    const language = chooseLocale(headers["Accept-Language"]);
    const [title, body] = content(translations[language], language);
    return { status: 200, ...renderPage({ language, settings, title, body }) } as const;
  };

  return {
    "get-provider-account-page": async (input) => {
      const outcome = readOutcome(input.query.outcome);
      const visit = await providerVisit(deps, input);
      return show(input.headers, (texts, language) =>
        visit === undefined
          ? [texts.logIn.title, logInPage(texts, outcome)]
          : [texts.account.title, accountPage(texts, { ...visit, language, outcome })],
      );
    },

    "post-provider-login-form": async ({ body, headers, sourceIp }) => {
      requireSameOrigin(headers, config.publicUrl);
      let cookie = "";
      const problem = await attemptAsProvider(async () => {
        cookie = await logIn(deps, body, sourceIp);
      });
      if (problem === "wrong-password") return home("wrong-login");
      if (problem !== undefined) return home(asOutcome(problem));
      return leadTo("/provider/services/page/list", {}, [`${cookie}; SameSite=Lax`]);
    },

    "post-provider-logout-form": async (input) => {
      const visit = await providerOfForm(deps, input);
      return visit === undefined ? home() : home("logged-out", [forgotten]);
    },

    "post-provider-profile-form": async (input) => {
      const visit = await providerOfForm(deps, input);
      if (visit === undefined) return home("session-ended");
      const { success, data } = fields.safeParse(input.body);
      if (!success) return home("invalid-fields");
      await changeProvider(deps, visit.provider.providerId, data);
      return home("saved");
    },

    "post-provider-password-form": async (input) => {
      const visit = await providerOfForm(deps, input);
      if (visit === undefined) return home("session-ended");
      const { password: oldPassword, new_password: newPassword } = input.body;
      if (!isNewPassword(newPassword)) return home("short-password");
      const problem = await attemptAsProvider(() =>
        changePassword(deps, visit.provider.providerId, { oldPassword, newPassword }),
      );
      return home(problem === undefined ? "password-changed" : asOutcome(problem));
    },

    "post-provider-email-form": async (input) => {
      const { body, sourceIp } = input;
      const visit = await providerOfForm(deps, input);
      if (visit === undefined) return home("session-ended");
      const problem = await attemptAsProvider(async () => {
        await checkProviderPassword(deps, visit.provider, body.password);
        await changeEmail(deps, visit.provider.providerId, body.email, sourceIp);
      });
      return home(problem === undefined ? "email-sent" : asOutcome(problem));
    },

    "get-provider-deletion-page": async (input) => {
      const visit = await providerVisit(deps, input);
      if (visit === undefined) return home();
      const outcome = readOutcome(input.query.outcome);
      return show(input.headers, (texts, language) => [
        texts.deletion.title,
        deletionPage(texts, { ...visit, language, outcome }),
      ]);
    },

    "post-provider-deletion-form": async (input) => {
      const visit = await providerOfForm(deps, input);
      if (visit === undefined) return home("session-ended");
      const problem = await attemptAsProvider(() =>
        deleteProvider(deps, visit.provider.providerId, input.body.password),
      );
      return problem === undefined
        ? home("deleted", [forgotten])
        : leadTo(deletionPath, { outcome: asOutcome(problem) });
    },

    "get-provider-registration-page": ({ headers, query }) =>
      show(headers, (texts) => [
        texts.registration.title,
        registrationPage(texts, { outcome: readOutcome(query.outcome) }),
      ]),

    "post-provider-registration-form": async ({ body, headers, sourceIp }) => {
      requireSameOrigin(headers, config.publicUrl);
      const again = (outcome: Outcome) =>
        show(headers, (texts) => [
          texts.registration.title,
          registrationPage(texts, { outcome, typed: body }),
        ]);
      const { success, data } = fields.safeParse(body);
      if (!success) return again("invalid-fields");
      const { email, password } = body;
      if (!isNewPassword(password)) return again("short-password");
      const problem = await attemptAsProvider(() =>
        registerProvider(deps, { ...data, email, password }, sourceIp),
      );
      return problem === undefined
        ? leadTo(registerPath, { outcome: "registered" })
        : again(asOutcome(problem));
    },

    "get-provider-reset-request-page": ({ headers, query }) =>
      show(headers, (texts) => [texts.reset.title, resetRequestPage(texts, readOutcome(query.outcome))]),

    "post-provider-reset-request-form": async ({ body, headers, sourceIp }) => {
      requireSameOrigin(headers, config.publicUrl);
      const problem = await attemptAsProvider(() => requestReset(deps, body.email, sourceIp));
      const outcome: Outcome =
        problem === undefined
          ? "reset-sent"
          : problem === "wrong-password"
            ? "unknown-email"
            : asOutcome(problem);
      return leadTo(resetPath, { outcome });
    },
  };
}
