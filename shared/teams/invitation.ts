import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { role } from "./permissions.ts";

/** An invitation to a team as it is stored. It never changes. */
export const invitationItem = storedItem(
  {
    table: "teams",
    kind: "invitation",
    key: ["team#*|code#*", "invitation*"],
    subject: {
      user: ["email", "addressKey"],
      secrets: ["owner", "codeHash"],
      toTeam: ["teamId", "invitationId", "role", "email", "name", "createdBy", "createdAt", "expiresAt"],
      mentions: "who has invited",
    },
  },
  storedObject({
    teamId: z.uuid(),
    invitationId: z.uuid(),
    role,
    /** As the inviter spelled it: only the owner of this mailbox gets the code. */
    email: z.string(),
    /** Equal for all spellings of the address. */
    addressKey: z.string(),
    /** Name of the invitee, as the inviter knows it. */
    name: z.string().optional(),
    /** Absent: invited by the directory of the team. */
    createdBy: z.uuid().optional(),
    /** Unix milliseconds. */
    createdAt: z.int(),
    /** Unix seconds. */
    expiresAt: z.int(),
    codeHash: z.string(),
  }),
);
export type Invitation = Stored<typeof invitationItem>;

export const isPending = ({ expiresAt }: Pick<Invitation, "expiresAt">, nowSeconds: number) =>
  expiresAt > nowSeconds;

/** A team's invitations to one address. */
export const addressItem = storedItem(
  {
    table: "teams",
    kind: "invited-address",
    key: ["email#*", "team#*"],
    subject: { user: ["addressKey"], secrets: ["codeHash"] },
  },
  storedObject({
    teamId: z.uuid(),
    addressKey: z.string(),
    /** Increases with each change; a change names the revision that it is based on. */
    revision: z.int(),
    /** Newest last. */
    invitations: z.array(storedObject({ invitationId: z.uuid(), codeHash: z.string(), expiresAt: z.int() })),
    /** Token bucket (`BucketTat`) of the mails. */
    mailTat: z.int().optional(),
  }),
);
export type InvitedAddress = Stored<typeof addressItem>;
