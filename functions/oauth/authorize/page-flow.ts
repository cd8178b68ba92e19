import type { PageFlow } from "#shared/accounts/page-login/page-session.ts";

/** The session of the pages that ask for consent: for these pages only. */
export const authorizeFlow: PageFlow = {
  cookieName: "authorize-session",
  path: "/authorize",
  tokenType: "authorize-session+jwt",
  lifetimeSeconds: ({ setOAuthPageSessionSecs }) => setOAuthPageSessionSecs,
};
