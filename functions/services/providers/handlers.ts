import { pagesFor } from "#shared/platform/html/pages-for.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { toProviderView } from "#shared/services/provider-view.ts";
import { activateProvider } from "./activate-provider.ts";
import { changeEmail, changePassword, changeProvider, getProvider } from "./change-provider.ts";
import { deleteProvider } from "./delete-provider.ts";
import type { Deps } from "./deps.ts";
import { logIn } from "./log-in.ts";
import { createHandlers as createOwnPages } from "./own-pages/handlers.ts";
import { activatedPage, activationPage, resetDonePage, resetPage } from "./pages/pages.ts";
import { translations } from "./pages/texts.ts";
import { findPendingActivation, findPendingReset } from "./provider-codes.ts";
import { registerProvider } from "./register-provider.ts";
import { completeReset, requestReset } from "./reset-password.ts";
import { isNewPassword, type ResetProblem, type routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;
  const { productName } = settings;
  const pages = pagesFor(translations, settings);

  /** Resets by the form; returns what the user has to correct. */
  const resetByForm = async (
    form: { key: string; code: string; password: string },
    sourceIp: string,
  ): Promise<ResetProblem | undefined> => {
    if (!isNewPassword(form.password)) return "short-password";
    try {
      await completeReset(deps, form, sourceIp);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.error === "password-must-differ") return "same-password";
      throw error;
    }
  };

  return {
    ...createOwnPages(deps),

    "provider-register": async ({ body, sourceIp }) => {
      const { providerId, generatedPassword } = await registerProvider(deps, body, sourceIp);
      return { body: { id: providerId, password: generatedPassword } };
    },

    "provider-activate": async ({ query, sourceIp }) => {
      const { email, wasActive } = await activateProvider(deps, query, sourceIp);
      return wasActive ? { status: 204 } : { status: 200, body: { email } };
    },

    "get-provider-activation-page": ({ query, headers }) => {
      const { texts, page } = pages(headers);
      return page(texts.ask.title, activationPage(texts, { productName, ...query }));
    },

    "post-provider-activation": async ({ body, headers, sourceIp }) => {
      const { wasActive } = await activateProvider(deps, body, sourceIp);
      const { texts, page } = pages(headers);
      const title = wasActive ? texts.confirmed.before : texts.confirmed.now;
      return page(title, activatedPage(texts, { title, productName }));
    },

    "provider-login": async ({ body, sourceIp }) => ({ cookies: [await logIn(deps, body, sourceIp)] }),

    "provider-password-reset": async ({ body, sourceIp }) => {
      await requestReset(deps, body.email, sourceIp);
      return {};
    },

    "provider-password-reset-complete": async ({ body, sourceIp }) => {
      await completeReset(deps, body, sourceIp);
      return {};
    },

    "get-provider-reset-page": ({ query, headers }) => {
      const { texts, page } = pages(headers);
      return page(texts.reset.title, resetPage(texts, { productName, ...query }));
    },

    "post-provider-reset": async ({ body, headers, sourceIp }) => {
      const problem = await resetByForm(body, sourceIp);
      if (problem !== undefined) {
        const query = new URLSearchParams({ key: body.key, code: body.code, problem });
        return { status: 303, headers: { location: `/provider/password-reset/confirm?${query}` } };
      }
      const { texts, page } = pages(headers);
      return { status: 200, ...page(texts.resetDone.title, resetDonePage(texts)) };
    },

    "provider-get-account": async ({ actor }) => ({
      body: toProviderView(await getProvider(deps, actor.providerId)),
    }),

    "provider-update": async ({ actor, body }) => {
      await changeProvider(deps, actor.providerId, body);
      return {};
    },

    "provider-update-email": async ({ actor, body, sourceIp }) => {
      await changeEmail(deps, actor.providerId, body.email, sourceIp);
      return {};
    },

    "provider-update-password": async ({ actor, body }) => {
      const passwords = { oldPassword: body.old_password, newPassword: body.new_password };
      await changePassword(deps, actor.providerId, passwords);
      return {};
    },

    "provider-delete": async ({ actor, body }) => {
      await deleteProvider(deps, actor.providerId, body.password);
      return {};
    },

    "i-get-provider-activation-code": async ({ query }) => ({
      body: await findPendingActivation(deps, query.email),
    }),

    "i-get-provider-password-reset-code": async ({ query }) => ({
      body: await findPendingReset(deps, query.email),
    }),
  };
}
