import type { OAuthScope } from "#shared/registry/oauth-scopes.ts";

/** Texts of the authorization pages in one language. */
export interface Texts {
  readonly logIn: {
    readonly title: string;
    readonly intro: (appName: string) => string;
    readonly identity: string;
    readonly password: string;
    readonly submit: string;
  };
  readonly secondFactor: {
    readonly title: string;
    readonly intro: string;
    readonly code: string;
    readonly submit: string;
    readonly again: string;
  };
  readonly consent: {
    readonly title: (appName: string) => string;
    readonly account: string;
    readonly redirect: string;
    readonly asks: string;
    readonly asksNothing: string;
    readonly scopes: Readonly<Record<OAuthScope, string>>;
    readonly note: string;
    readonly allow: string;
    readonly deny: string;
    readonly otherAccount: string;
  };
  readonly refusal: {
    readonly title: string;
    readonly advice: string;
  };
  readonly problems: Readonly<Record<StepProblem | RefusalProblem, string>>;
}

/** Problems with the last form; more detail would help attackers to guess. */
export const stepProblems = [
  "wrong-credentials",
  "wrong-code",
  "no-address",
  "pending-activation",
  "suspended",
  "too-many-attempts",
  "session-ended",
] as const;
export type StepProblem = (typeof stepProblems)[number];

/** Why the request is refused without a form to fill in. */
export type RefusalProblem =
  | "unknown-app"
  | "wrong-redirect"
  | "bad-request"
  | "switched-off"
  | "server-error";
