/** There is no such team, or it is being deleted, or it is suspended and somebody wants to join. */
export class TeamNotFoundError extends Error {
  override readonly name = "TeamNotFoundError";
}

/** The team has as many members as it may have. */
export class TeamFullError extends Error {
  override readonly name = "TeamFullError";
}

/** The team has legal hold, and as many members as it may have with it. */
export class TeamFullForLegalHoldError extends Error {
  override readonly name = "TeamFullForLegalHoldError";
}

/** The team has as many admins and owners as it may have. */
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

/** The team has as many pending invitations as it may have. */
export class TooManyInvitationsError extends Error {
  override readonly name = "TooManyInvitationsError";
}
