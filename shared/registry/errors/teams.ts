import { defineErrors } from "./define-errors.ts";

/** Errors of teams, their members, invitations and features. */
export const teamErrors = defineErrors({
  "invalid-actions": { status: 400, message: "Teams are founded by registering, or from a personal account" },
  "not-a-team-user": { status: 400, message: "Only for members of a team" },
  "inactivity-timeout-too-low": { status: 400, message: "The time-out has to be 30 seconds or more" },
  "mls-protocol-mismatch": {
    status: 400,
    message: "The default protocol must be supported, and the migration to MLS needs MLS",
  },
  "mls-e2eid-missing-crl-proxy": { status: 400, message: "A proxy for revocation lists is needed" },
  "empty-download-location": { status: 400, message: "The location must not be empty" },
  "invalid-payload": { status: 400, message: "A body is needed" },
  "too-many-uids": { status: 400, message: "More ids than one answer can have members" },
  "insufficient-permissions": { status: 403, message: "You are not allowed to do this" },
  "no-team": { status: 404, message: "No such team" },
  "not-a-team-member": { status: 403, label: "no-team-member", message: "You are not a member of this team" },
  "export-too-large": {
    status: 406,
    message:
      "The members do not fit into one answer: if you have not done so, ask for it compressed with gzip",
  },
  "team-member-not-found": { status: 404, label: "no-team-member", message: "No such member of the team" },
  "operation-denied": { status: 403, message: "Your permissions in the team do not include this" },
  "access-denied": { status: 403, message: "You are not allowed to do this" },
  "no-self-delete-for-team-owner": {
    status: 403,
    message: "An owner leaves the team when another owner removes them, or when the team is deleted",
  },
  "user-already-in-a-team": { status: 403, message: "The user is in a team already" },
  "not-one-member-team": { status: 403, message: "The team has more than one member" },
  "invalid-team-status-update": { status: 403, message: "The status of the team cannot change to this one" },
  "invalid-permissions": { status: 403, message: "You cannot give permissions that you may not pass on" },
  "no-email": { status: 403, message: "An inviter needs a verified email address" },
  "too-many-team-invitations": { status: 403, message: "The team has too many pending invitations" },
  "cannot-join-multiple-teams": { status: 403, message: "You are in a team already" },
  "email-exists": { status: 409, message: "The address belongs to an account that cannot be invited" },
  "conflicting-invitations": { status: 409, message: "Several teams have invited this address" },
  "binding-team": { status: 403, message: "Members join by invitation only" },
  "team-search-visibility-not-enabled": {
    status: 403,
    message: "Search visibility is not enabled for the team",
  },
  "too-many-team-members": { status: 403, message: "The team is full" },
  "too-many-members-for-legalhold": {
    status: 403,
    message: "The team has legal hold, and has reached its limit of members with it",
  },
  "legalhold-not-enabled": { status: 403, message: "Legal hold is switched off" },
  "legalhold-whitelisted-only": { status: 403, message: "The operator decides which teams have legal hold" },
  "too-large-team-for-legalhold": { status: 403, message: "The team is too large for legal hold" },
  "not-implemented": { status: 403, message: "Single sign-on cannot be switched off again" },
  "team-exists": { status: 409, label: "key-exists", message: "There is another team with this id" },
  "too-many-team-admins": { status: 403, message: "The team has too many admins and owners" },
  "webhook-not-found": { status: 404, label: "not-found", message: "No such webhook" },
  "webhook-delivery-not-found": {
    status: 404,
    label: "not-found",
    message: "No such delivery of the webhook",
  },
  "webhook-delivery-waiting": {
    status: 409,
    message: "The event waits for its turn and will be sent anyway",
  },
  "webhook-address-refused": { status: 400, message: "Webhooks need a public address" },
  "too-many-webhooks": { status: 403, message: "There are too many webhooks" },
  "feature-locked": { status: 409, message: "The operator does not let the team change this feature" },
});
