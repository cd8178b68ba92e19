import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import { teamCreate } from "./events.ts";
import { permissionsOf } from "./permissions.ts";
import { iconKey, type Team, teamIcon, teamName } from "./team.ts";
import type { TeamStore } from "./team-store.ts";
import { toTeamView } from "./team-view.ts";

interface Deps {
  readonly clock: Clock;
  readonly events: EventPublisher;
  readonly teams: TeamStore;
}

interface Founding {
  /** Absent: a new id. */
  readonly teamId?: string;
  readonly founderId: string;
  readonly team: z.output<typeof newTeam>;
  readonly status: "active" | "pending_active";
}

/**
 * Decides how a user founds a team and becomes its owner. The account must get the id of the team in the same
 * transaction.
 */
export function foundTeam(
  { clock, events, teams }: Deps,
  { teamId = randomUUID(), founderId, team, status }: Founding,
): Change & { readonly team: Pick<Team, "teamId" | "name"> } {
  const now = clock();
  const founded = {
    teamId,
    creator: founderId,
    name: team.name,
    icon: team.icon,
    iconKey: team.icon_key,
    splashScreen: "default",
    status,
    statusChangedAt: now,
    searchVisibility: "standard" as const,
    currency: team.currency,
  };
  const event = { team: teamId, time: new Date(now).toISOString(), data: toTeamView(founded) };
  return {
    team: founded,
    writes: teams.create(founded, { permissions: permissionsOf("owner"), legalHoldStatus: "no_consent" }),
    messages: events.toUser({ userId: founderId }, teamCreate, event),
  };
}

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "an ISO 4217 code, such as EUR")
  .meta({ description: "ISO 4217 code, such as EUR" });

/** A team that a user founds, named as in the published interface. */
export const newTeam = z
  .object({
    name: teamName,
    icon: teamIcon,
    icon_key: iconKey.optional(),
    currency: currency.optional(),
  })
  .meta({
    id: "BindingNewTeamUser",
    description: "A team that the user founds",
    examples: [{ name: "Analytical Engines", icon: "default", currency: "GBP" }],
  });
