import { defineErrors } from "./define-errors.ts";

/** Errors of users, connections, properties and search. */
export const peopleErrors = defineErrors({
  "invalid-user": { status: 400, message: "This is not possible with this user" },
  "connection-limit": { status: 403, message: "Too many connections" },
  "bad-conn-update": { status: 403, message: "The connection cannot change in this way" },
  "not-connected": { status: 403, message: "The users are not connected" },
  "same-binding-team-users": { status: 403, message: "Members of one team are connected already" },
  "too-many-properties": { status: 403, message: "Too many properties" },
  "property-key-too-large": { status: 403, message: "The key of the property is too long" },
  "property-value-too-large": { status: 403, message: "The value of the property is too large" },
  "index-not-refreshed": {
    status: 503,
    message: "Some changes are not in the search index yet",
    isDeliberate: true,
  },
});
