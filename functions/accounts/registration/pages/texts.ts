import type { Reason } from "#shared/platform/html/describe-link-refusal.ts";

/** Texts of the activation pages in one language. Headings never break after the “e-” of “e-mail”. */
export interface Texts {
  readonly ask: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    /** The account that would get the address: an existing one, or one just registered. */
    readonly existing: (name: string) => string;
    readonly registered: (name: string) => string;
    readonly submit: string;
    readonly unrequested: string;
  };
  readonly done: {
    readonly confirmed: string;
    /** For a used code. */
    readonly wasConfirmed: string;
    readonly account: (name: string) => string;
    readonly outro: (productName: string) => string;
  };
  /** For a code that is wrong, expired or outdated. */
  readonly refusedCode: Reason;
  /** For an address that another account activated first. */
  readonly takenAddress: Reason;
  /** For an address whose organisation does not let its people use it here. */
  readonly closedDomain: Reason;
}
