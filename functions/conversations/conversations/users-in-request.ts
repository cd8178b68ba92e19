import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** A user of this or of another domain. */
export interface QualifiedUser {
  readonly domain: string;
  readonly id: string;
}

/** The users that a request names in either form, each once. */
export function usersInRequest(
  {
    users,
    qualified_users: qualified,
  }: {
    readonly users?: readonly string[] | null;
    readonly qualified_users?: readonly QualifiedUser[] | null;
  },
  settings: Settings,
): QualifiedUser[] {
  const local = (users ?? []).map((id) => ({ domain: settings.domain, id }));
  const all = [...local, ...(qualified ?? [])].map((user): [string, QualifiedUser] => [
    `${user.id}@${user.domain.toLowerCase()}`,
    user,
  ]);
  return [...new Map(all).values()];
}

/** The other domains among those of users, each once. */
export const remoteDomains = (users: readonly QualifiedUser[], settings: Settings): string[] => [
  ...new Set(users.map(({ domain }) => domain).filter((domain) => !isLocalDomain(domain, settings))),
];
