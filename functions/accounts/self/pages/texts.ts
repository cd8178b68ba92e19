import type { Reason } from "#shared/platform/html/describe-link-refusal.ts";

/** Texts of the account deletion pages in one language. */
export interface Texts {
  readonly ask: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    /** The consequences, a sentence each. */
    readonly consequences: readonly string[];
    readonly submit: string;
    readonly unrequested: string;
  };
  readonly done: {
    readonly title: string;
    readonly outro: (productName: string) => string;
  };
  /** For a code that is wrong, expired or used. */
  readonly refusedCode: Reason;
}
