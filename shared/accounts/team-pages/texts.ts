import type { Role } from "#shared/teams/permissions.ts";
import type { TeamOutcome } from "./outcomes.ts";
import type { TeamPageName } from "./team-paths.ts";

/** Features that the page switches: admins may change them, and they work without further choices. */
export const switchedFeatures = [
  "legalhold",
  "searchVisibility",
  "searchVisibilityInbound",
  "appLock",
  "fileSharing",
  "conferenceCalling",
  "selfDeletingMessages",
  "conversationGuestLinks",
  "sndFactorPasswordChallenge",
  "exposeInvitationURLsToTeamAdmin",
  "outlookCalIntegration",
  "channels",
  "cells",
] as const;
export type SwitchedFeature = (typeof switchedFeatures)[number];

/** Texts of the team pages in one language. */
export interface TeamTexts {
  readonly nav: string;
  readonly ownAccount: string;
  readonly titles: Readonly<Record<TeamPageName, string>>;
  /** Label of the field for the admin's own password. */
  readonly password: string;
  readonly roles: Readonly<Record<Role, string>>;
  readonly role: string;
  readonly members: {
    readonly intro: string;
    readonly you: string;
    readonly otherRights: string;
    readonly more: string;
    readonly export: string;
  };
  readonly member: {
    readonly save: string;
    readonly fixed: string;
    readonly removal: string;
    readonly warning: string;
    readonly remove: string;
  };
  readonly invitations: {
    readonly email: string;
    readonly submit: string;
    readonly pending: string;
    readonly none: string;
    readonly until: (end: string) => string;
    readonly link: string;
    readonly withdraw: string;
    readonly more: string;
  };
  readonly features: {
    readonly intro: string;
    readonly on: string;
    readonly off: string;
    readonly switchOn: string;
    readonly switchOff: string;
    readonly locked: string;
    readonly names: Readonly<Record<SwitchedFeature, string>>;
  };
  readonly providers: {
    readonly intro: string;
    readonly none: string;
    readonly code: string;
    readonly link: string;
    readonly since: (start: string) => string;
    readonly remove: string;
    readonly add: string;
    readonly ourMetadata: string;
    readonly metadata: string;
    readonly submit: string;
  };
  readonly tokens: {
    readonly intro: string;
    readonly address: string;
    readonly none: string;
    readonly since: (start: string) => string;
    readonly revoke: string;
    readonly add: string;
    readonly description: string;
    readonly provider: string;
    readonly noProvider: string;
    readonly code: string;
    readonly sendCode: string;
    readonly submit: string;
    readonly created: string;
    readonly once: string;
  };
  readonly audit: {
    readonly intro: string;
    readonly none: string;
    readonly earlier: string;
    readonly later: string;
    readonly more: string;
    readonly refused: (error: string) => string;
    readonly damaged: string;
  };
  readonly outcomes: Readonly<Record<TeamOutcome, string>>;
}
