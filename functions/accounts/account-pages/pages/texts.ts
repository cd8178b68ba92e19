import type { Locale } from "#shared/platform/html/choose-locale.ts";
import type { Outcome } from "./outcomes.ts";

/** Texts of the account pages in one language. */
export interface Texts {
  readonly logInIntro: string;
  readonly nav: string;
  /** Link to the pages of the team. */
  readonly team: string;
  readonly logOut: string;
  readonly save: string;
  /** Label of the field for the current password. */
  readonly password: string;
  readonly managed: string;
  readonly profile: {
    readonly title: string;
    readonly email: string;
    readonly phone: string;
    readonly name: string;
    readonly handle: string;
    readonly handleHint: string;
    readonly language: string;
    readonly none: string;
  };
  readonly languages: Readonly<Record<Locale, string>>;
  readonly security: {
    readonly title: string;
    readonly password: string;
    readonly passwordIntro: string;
    readonly newPassword: string;
    readonly hint: string;
    readonly submit: string;
    readonly secondFactor: string;
    readonly required: (address: string) => string;
    readonly notRequired: string;
    /** Instead of it, for those who log in through an identity provider. */
    readonly byCompany: string;
    /** Instead of the form. */
    readonly noPassword: string;
  };
  readonly sessions: {
    readonly title: string;
    readonly intro: string;
    readonly legend: string;
    readonly here: string;
    readonly accountPage: string;
    readonly unnamed: string;
    readonly since: (start: string, end: string) => string;
    readonly endOne: string;
    readonly endAll: string;
    readonly needsEmail: string;
  };
  readonly apps: {
    readonly title: string;
    readonly intro: string;
    readonly none: string;
    readonly legend: string;
    readonly since: (start: string) => string;
    readonly submit: string;
    readonly note: string;
  };
  readonly deletion: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    /** The consequences, a sentence each. */
    readonly consequences: readonly string[];
    /** Instead of all this, for an account of an organisation. */
    readonly managed: string;
    readonly submit: string;
  };
  readonly outcomes: Readonly<Record<Outcome, string>>;
}
