import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { pagesFor } from "#shared/platform/html/pages-for.ts";
import { splitToFit } from "#shared/platform/http/answer-size.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { type Activation, activate } from "./activate.ts";
import type { Deps } from "./deps.ts";
import { findAccountOfLink } from "./find-account-of-link.ts";
import { findAccounts } from "./find-accounts.ts";
import { findPendingActivation } from "./find-pending-activation.ts";
import { createHandlers as createJoiningHandlers } from "./joining/handlers.ts";
import { activatedPage, activationPage } from "./pages/activation-pages.ts";
import { translations } from "./pages/texts.ts";
import { register } from "./register.ts";
import type { routes } from "./routes.ts";
import { sendActivationCode } from "./send-activation-code.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;
  const pages = pagesFor(translations, settings);

  return {
    ...createJoiningHandlers(deps),

    "post-activate-send": async ({ body, sourceIp }) => {
      await sendActivationCode(deps, body, sourceIp);
      return {};
    },

    "post-activate": async ({ body: { dryrun, ...command }, sourceIp }) =>
      toActivationReply(await activate(deps, { ...command, isDryRun: dryrun }, sourceIp)),

    "get-activate": async ({ query, sourceIp }) =>
      toActivationReply(await activate(deps, { ...query, isDryRun: false }, sourceIp)),

    "get-activation-page": async ({ query, headers }) => {
      const account = await findAccountOfLink(deps, query.key);
      const { texts, page } = pages(headers);
      const { productName } = settings;
      return page(texts.ask.title, activationPage(texts, { productName, account, ...query }));
    },

    "post-activation-confirmation": async ({ body, headers, sourceIp }) => {
      const activation = await activate(deps, { ...body, isDryRun: false }, sourceIp);
      const { texts, page } = pages(headers);
      const title = activation.outcome === "activated" ? texts.done.confirmed : texts.done.wasConfirmed;
      const name = activation.outcome === "code-is-correct" ? undefined : activation.name;
      return page(title, activatedPage(texts, { title, productName: settings.productName, name }));
    },

    register: async ({ body, sourceIp }) => {
      const { account, setCookie } = await register(deps, body, sourceIp);
      return {
        body: toSelfProfile(account, settings, deps.clock()),
        headers: { location: account.userId },
        cookies: setCookie === undefined ? [] : [setCookie],
      };
    },

    "i-get-users": async ({ query: { includePendingInvitations, ...keys } }) => {
      const found = await findAccounts(deps, {
        ...keys,
        includesPendingInvitations: includePendingInvitations,
      });
      const profiles = found.map((account) => toSelfProfile(account, settings, deps.clock()));
      return { body: splitToFit(profiles).fitting };
    },

    "i-create-user": async ({ body, sourceIp }) => {
      const { account } = await register(deps, body, sourceIp, { startsSession: false, isByOperator: true });
      return {
        body: toSelfProfile(account, settings, deps.clock()),
        headers: { location: account.userId },
      };
    },

    "i-get-activation-code": async ({ query }) => ({ body: await findPendingActivation(deps, query) }),
  };
}

function toActivationReply(activation: Activation) {
  switch (activation.outcome) {
    case "activated": {
      const { email, phone, isFirst } = activation;
      return { status: 200, body: { email, phone, first: isFirst } } as const;
    }
    case "code-is-correct":
      return { status: 200 } as const;
    case "already-activated":
      return { status: 204 } as const;
  }
}
