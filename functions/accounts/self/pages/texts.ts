import type { Reason } from "#shared/platform/html/describe-link-refusal.ts";

/** Everything that the pages of account deletion say in one language. */
export interface Texts {
  readonly ask: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    /** What happens, a sentence each. */
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
