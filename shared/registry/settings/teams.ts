import * as z from "zod";
import { dailyBudget, seconds, tokenBucket } from "./types.ts";

/** Address of a web page: `{code}` stands for the code of the invitation, and `{team}` for the id of the team. */
const invitationUrl = z
  .string()
  .refine((text) => text.includes("{code}"), "must contain {code}")
  .refine(
    (text) => /^https?:$/.test(protocolOf(text)),
    "an address such as https://teams.example.com/join/?team-code={code}",
  );

const protocolOf = (text: string) => URL.parse(text)?.protocol ?? "";

/** Settings of teams. */
export const teamSettings = {
  /** Members of a team. */
  maxTeamSize: z.int().min(1).default(10_000),
  /** Size up to which all members get team events. */
  maxFanoutSize: z.int().min(1).max(2000).default(2000),
  /** Members of a deleted team handled concurrently. */
  concurrentDeletionEvents: z.int().min(1).max(1000).default(128),
  /** Pause after each conversation of a deleted team that has outsiders. */
  deleteConvThrottleMillis: z.int().min(0).max(1000).default(20),
  /** Lifetime of an invitation. */
  setTeamInvitationTimeout: seconds.min(1).default(21 * 86_400),
  /** Pages that invitations link to. Absent: those of this server. */
  setTeamInvitationUrls: z
    .strictObject({
      /** For people without an account. */
      newUser: invitationUrl.optional(),
      /** For users in no team. */
      existingUser: invitationUrl.optional(),
    })
    .prefault({}),
  setTeamInvitationRateLimit: z
    .strictObject({
      /** Invitations by one member. */
      perInviter: tokenBucket.prefault({ burst: 200, refillSeconds: 20 }),
      /** Invitations from one network. */
      perNetwork: tokenBucket.prefault({ burst: 500, refillSeconds: 10 }),
      /** Invitations of one team to one address. */
      perAddress: tokenBucket.prefault({ burst: 5, refillSeconds: 3600 }),
      /** Look-ups of invitations from one network without login. */
      lookupsPerNetwork: tokenBucket.prefault({ burst: 50, refillSeconds: 20 }),
    })
    .prefault({}),
  /** Invitations of a team a day (UTC). Null: no limit. */
  setTeamInvitationDailyBudget: dailyBudget.default(20_000),
};
