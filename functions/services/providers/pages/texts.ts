import type { Reason } from "#shared/platform/html/describe-link-refusal.ts";
import type { ResetProblem } from "../routes.ts";

/** Texts of the pages for providers in one language. Headings never break after the “e-” of “e-mail”. */
export interface Texts {
  /** Asks whether to confirm an address. */
  readonly ask: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    readonly submit: string;
    readonly unrequested: string;
  };
  readonly confirmed: {
    readonly now: string;
    /** For an address that was confirmed before. */
    readonly before: string;
    readonly outro: (productName: string) => string;
  };
  /** Asks for a new password. */
  readonly reset: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    readonly email: string;
    readonly emailHint: string;
    readonly password: string;
    readonly hint: string;
    readonly submit: string;
    readonly unrequested: string;
  };
  readonly resetDone: { readonly title: string; readonly outro: string };
  /** Text of the link to the page for logging in. */
  readonly logIn: string;
  readonly problems: Readonly<Record<ResetProblem, string>>;
  /** For a code that is wrong, expired or used. */
  readonly refusedCode: Reason;
  /** For an address that another provider confirmed first. */
  readonly takenAddress: Reason;
  /** Where services cannot be used. */
  readonly closed: Reason;
}
