import type { Account } from "#shared/accounts/account.ts";
import type { Member } from "#shared/teams/member.ts";
import { roleOf } from "#shared/teams/permissions.ts";
import type { Team } from "#shared/teams/team.ts";
import type { UserLineInput } from "./user-line.ts";

/**
 * The lines with which an import recreates a team with its members, but without passwords, numbers, pictures and
 * devices. External ids are the current ids, so that a stage from which the team was deleted can import it, too.
 */
export class TeamLines {
  readonly #members: (UserLineInput & { readonly external_id: string })[] = [];

  /** Leaves out users whom an import cannot create, and suspended users, whom it would admit. */
  add(account: Account, member: Member): void {
    const { userId, name, email, unprovenEmail, handle, locale, accentId, status } = account;
    const role = roleOf(member.permissions);
    if (status !== "active" || role === undefined || (email ?? handle) === undefined) return;
    this.#members.push({
      external_id: userId,
      name,
      email,
      email_verified: email !== undefined && email !== unprovenEmail,
      handle,
      locale,
      accent_id: accentId,
      role,
    });
  }

  /** The owner who founds the team, then all others; empty if no owner is left. */
  *of({ teamId, creator, name, currency }: Team): Generator<string> {
    const owners = this.#members.filter(({ role }) => role === "owner");
    const founder = owners.find(({ external_id }) => external_id === creator) ?? owners[0];
    if (founder === undefined) return;
    yield toLine({ ...founder, new_team: { external_id: teamId, name, currency } });
    for (const member of this.#members)
      if (member !== founder) yield toLine({ ...member, team_external_id: teamId });
  }
}

const toLine = (line: UserLineInput) => `${JSON.stringify(line)}\n`;
