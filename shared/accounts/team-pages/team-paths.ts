/** The pages, in the order of their links, by path. */
export const teamPaths = {
  members: "/account/team/members",
  invitations: "/account/team/invitations",
  features: "/account/team-features",
  providers: "/account/team-login/providers",
  tokens: "/account/team-directory/tokens",
  audit: "/account/team-audit",
} as const;
export type TeamPageName = keyof typeof teamPaths;

/** Pages of which only owners may see anything. */
const ownersOnly: ReadonlySet<TeamPageName> = new Set(["tokens", "audit"]);

export const isOwnersOnly = (page: TeamPageName): boolean => ownersOnly.has(page);
