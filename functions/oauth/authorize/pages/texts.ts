import type { OAuthScope, OpenIdScope } from "#shared/registry/oauth-scopes.ts";

/** Texts of the authorization pages in one language. */
export interface Texts {
  readonly logInIntro: (appName: string) => string;
  readonly consent: {
    readonly title: (appName: string) => string;
    readonly account: string;
    readonly redirect: string;
    readonly asks: string;
    readonly asksNothing: string;
    readonly scopes: Readonly<Record<OAuthScope | OpenIdScope, string>>;
    readonly note: string;
    readonly allow: string;
    readonly deny: string;
    readonly otherAccount: string;
  };
  readonly endSession: {
    readonly title: string;
    readonly asks: (name: string) => string;
    readonly logOut: string;
    readonly note: string;
    readonly doneTitle: string;
    readonly done: string;
  };
  readonly refusal: {
    readonly title: string;
    readonly advice: string;
  };
  readonly problems: Readonly<Record<RefusalProblem, string>>;
}

/** Why the request is refused without a form to fill in. */
export type RefusalProblem =
  | "unknown-app"
  | "wrong-redirect"
  | "bad-request"
  | "switched-off"
  | "server-error";
