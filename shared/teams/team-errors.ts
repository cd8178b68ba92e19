/** The team does not exist or is being deleted; or, for a new member, is suspended. */
export class TeamNotFoundError extends Error {
  override readonly name = "TeamNotFoundError";
}

/** The team has reached its limit of members. */
export class TeamFullError extends Error {
  override readonly name = "TeamFullError";
}

/** The team has legal hold, and has reached its limit of members with it. */
export class TeamFullForLegalHoldError extends Error {
  override readonly name = "TeamFullForLegalHoldError";
}

/** The team has reached its limit of admins and owners. */
export class TooManyAdminsError extends Error {
  override readonly name = "TooManyAdminsError";
}

/** The team has more members than it may have with legal hold. */
export class TeamTooLargeError extends Error {
  override readonly name = "TeamTooLargeError";
}

/** The change would leave the team without an owner. */
export class LastOwnerError extends Error {
  override readonly name = "LastOwnerError";
}

/** The team has reached its limit of pending invitations. */
export class TooManyInvitationsError extends Error {
  override readonly name = "TooManyInvitationsError";
}
