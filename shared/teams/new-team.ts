import * as z from "zod";
import { iconKey, teamIcon, teamName } from "./team.ts";

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
