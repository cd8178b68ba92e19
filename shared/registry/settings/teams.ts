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
  /** Size up to which all members of a team get its events. */
  maxFanoutSize: z.int().min(1).max(2000).default(2000),
  /** Members of a deleted team who are read, told and deleted together. */
  concurrentDeletionEvents: z.int().min(1).max(1000).default(128),
  /** Pause after deleting a conversation of a deleted team, if somebody outside the team was told. */
  deleteConvThrottleMillis: z.int().min(0).max(1000).default(20),
  /** How long an invitation is valid. */
  setTeamInvitationTimeout: seconds.min(1).default(21 * 86_400),
  /** Pages that invitations link to; absent: those of this server. */
  setTeamInvitationUrls: z
    .strictObject({
      /** For invitees without an account. */
      newUser: invitationUrl.optional(),
      /** For invitees with an account, in no team. */
      existingUser: invitationUrl.optional(),
    })
    .prefault({}),
  setTeamInvitationRateLimit: z
    .strictObject({
      /** Invitations that one member may send. */
      perInviter: tokenBucket.prefault({ burst: 200, refillSeconds: 20 }),
      /** Invitations that one network may send. */
      perNetwork: tokenBucket.prefault({ burst: 500, refillSeconds: 10 }),
      /** Invitations of one team to one address. */
      perAddress: tokenBucket.prefault({ burst: 5, refillSeconds: 3600 }),
      /** Look-ups from one network, without login, of whether an address is invited. */
      lookupsPerNetwork: tokenBucket.prefault({ burst: 50, refillSeconds: 20 }),
    })
    .prefault({}),
  /** Invitations that one team may send per day (UTC); null for no limit. */
  setTeamInvitationDailyBudget: dailyBudget.default(20_000),
};
