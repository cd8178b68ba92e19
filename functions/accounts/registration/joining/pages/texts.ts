import type { Reason } from "#shared/platform/html/describe-link-refusal.ts";
import type { JoinProblem } from "../routes.ts";

/** Texts of the invitation pages in one language. */
export interface Texts {
  readonly ask: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    readonly team: string;
    readonly inviter: string;
    /** The invited address, for which the account is or was created. */
    readonly address: string;
    readonly newAccount: string;
    /** What joining means for an existing account. */
    readonly existingAccount: string;
    readonly name: string;
    readonly newPassword: string;
    readonly password: string;
    readonly passwordHint: string;
    readonly register: string;
    readonly accept: string;
    readonly unrequested: string;
  };
  readonly problems: Readonly<Record<JoinProblem, string>>;
  readonly done: {
    readonly title: string;
    readonly intro: (team: string) => string;
    readonly outro: (productName: string) => string;
    readonly open: (productName: string) => string;
  };
  /** For a code that is unknown, used, revoked or expired. */
  readonly refusedCode: Reason;
  /** For a team that is full, suspended or being deleted. */
  readonly closedTeam: Reason;
  readonly fullTeam: Reason;
  /** For an address whose account cannot join. */
  readonly otherTeam: Reason;
  readonly suspended: Reason;
  /** For an address with which nobody may register or join here. */
  readonly refusedAddress: Reason;
}
