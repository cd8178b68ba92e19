import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { featureNames, operationOf, publicFeatures } from "#shared/teams/features/catalogue.ts";
import { operations } from "../support/contract.ts";
import { compareInterface } from "./compare-interface.ts";
import { readPublishedInterface } from "./published-interface.ts";

const ttlIsWord = "always the word `unlimited`, which the published documents do not show";
const membersMayRead = "every member may read all features";

/** Differences that all operations on features have. */
const featureExceptions: Record<string, Record<string, string>> = Object.fromEntries([
  ...["get-all-feature-configs-for-team", "get-all-feature-configs-for-user"].map((id) => [
    id,
    {
      ...Object.fromEntries(featureNames.map((name) => [`200.${name}.ttl: is not integer`, ttlIsWord])),
      "403 operation-denied: not declared": membersMayRead,
    },
  ]),
  ...featureNames.map((name) => [
    `get_${operationOf(name)}`,
    { "200.ttl: is not integer": ttlIsWord, "403 operation-denied: not declared": membersMayRead },
  ]),
  ...publicFeatures.map((name) => [`put_${operationOf(name)}`, { "200.ttl: is not integer": ttlIsWord }]),
]);

/** The fields of `data` that the published schema `Event` requires: those of all kinds of events. */
const publishedEventData = [
  "access",
  "add_permission",
  "add_type",
  "cipher_suite",
  "code",
  "epoch",
  "epoch_timestamp",
  "group_id",
  "has_password",
  "key",
  "members",
  "name",
  "qualified_id",
  "qualified_recipient",
  "qualified_target",
  "qualified_user_ids",
  "reason",
  "receipt_mode",
  "recipient",
  "sender",
  "status",
  "text",
  "type",
  "user_ids",
  "users",
];

/** Operations that are answered with a conversation event, and which of the published fields its `data` has. */
const eventAnswers: Record<string, readonly string[]> = {
  "join-conversation-by-code-unqualified": ["add_type", "user_ids", "users"],
  "update-channel-add-permission": ["add_permission"],
  "update-conversation-access": ["access"],
  "update-conversation-message-timer": [],
  "add-members-to-conversation": ["add_type", "user_ids", "users"],
  "remove-member": ["qualified_user_ids", "reason", "user_ids"],
  "update-conversation-name": ["name"],
  "update-conversation-protocol": [],
  "update-conversation-receipt-mode": ["receipt_mode"],
};
const missingEventData = (status: number, own: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    publishedEventData
      .filter((field) => !own.includes(field))
      .map((field) => [`${status}.data.${field}: is missing`, "each kind of event has data of its own"]),
  );
/** Operations that are answered with a conversation event among other things. */
const eventWithin = (status: number, own: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(missingEventData(status, own)).map(([what, reason]) => [
      what.replace(".data.", ".event.data."),
      reason,
    ]),
  );
const eventExceptions: Record<string, Record<string, string>> = Object.fromEntries(
  Object.entries(eventAnswers).map(([id, own]) => [id, missingEventData(200, own)]),
);

const endsForAllInBackground = "what fails for one member is repeated in the background";

const noValueIsNull =
  "clients expect null in teams, conversations, members and invitations where there is no value";

/** Differences of a conversation at a place in an answer. */
const conversationExceptions = (place: string): Record<string, string> => ({
  ...Object.fromEntries(
    [
      "add_permission: is not just =admins|everyone",
      "creator: is not just uuid",
      "group_conv_type: is not just =group_conversation|channel",
      "message_timer: is not just integer",
      "name: is not just string",
      "receipt_mode: is not just integer",
      "team: is not just uuid",
    ].map((what) => [`${place}.${what}`, noValueIsNull]),
  ),
  ...memberExceptions(`${place}.members.self`),
  ...Object.fromEntries(
    ["epoch", "group_id"].map((name) => [`${place}.${name}: may be absent`, onlyMlsHasGroup]),
  ),
});
/** Differences of a conversation in the form of versions 3 to 5. */
const conversationExceptionsV3 = (place: string): Record<string, string> => ({
  ...conversationExceptions(place),
  [`${place}.epoch_timestamp: is not just time`]: noValueIsNull,
  ...Object.fromEntries(
    ["cipher_suite", "epoch_timestamp"].map((name) => [`${place}.${name}: may be absent`, onlyMlsHasGroup]),
  ),
});
const onlyMlsHasGroup = "Proteus conversations have no group";

/** Differences of a user's own membership of a conversation. */
const memberExceptions = (place: string): Record<string, string> =>
  Object.fromEntries(
    [
      "hidden_ref: is not just string",
      "otr_archived_ref: is not just string",
      "otr_muted_ref: is not just string",
      "otr_muted_status: is not just integer",
      "service: is not just an object",
    ].map((what) => [`${place}.${what}`, noValueIsNull]),
  );

const noOldDevices = {
  "403 missing-legalhold-consent-old-clients: not declared": "how old a device is does not matter",
};
const botsAlwaysMay = {
  ...noOldDevices,
  "403 missing-legalhold-consent: not declared": "bots never get in the way of legal hold",
};
const broadcastExceptions = {
  ...noOldDevices,
  "404 no-conversation: not declared": "a broadcast goes to no conversation: without a team it is `no-team`",
};

const keysAreObjects = "the published document gives the list of keys the type of the list of tokens";

const noSecondFactorForLegalHold = {
  "403 action-denied: not declared": "no conversation is involved",
  "403 code-authentication-failed: not declared": "only the deletion of a team needs a second factor",
  "403 code-authentication-required: not declared": "only the deletion of a team needs a second factor",
};

const tokenExceptions = {
  "403 code-authentication-failed: not declared": "only creating a token needs a second factor",
  "403 code-authentication-required: not declared": "only creating a token needs a second factor",
};
/** Differences of an identity provider at a place in an answer. */
const providerExceptions = (place: string): Record<string, string> => ({
  [`${place}.extraInfo.apiVersion: is not =SvcIdPAPIV1|SvcIdPAPIV2`]: "the vendor word is a setting",
  [`${place}.extraInfo.replacedBy: is not just uuid`]: "null for one that is not replaced",
});

/** Differences from the published interface that are allowed, by operation, with their reasons. */
/** Differences of what is sent to MLS groups. */
const mlsExceptions: Record<string, string> = {
  "201.events[]: is not just an object": "each kind of event has a form of its own",
  "409: is not just an object": "labels say what prevents it; no other domain does",
  "533: never answered": "users of other domains are not connected",
  "400 mls-group-conversation-mismatch: not declared": "only groups that span domains have it",
  "403 legalhold-not-enabled: not declared": "sending does not ask whether the team has legal hold",
  "404 no-conversation-member: not declared": "who is not a member is told no-conversation",
};

const exceptions: Record<string, Record<string, string>> = {
  ...featureExceptions,
  "mls-commit-bundle": {
    ...mlsExceptions,
    "400 mls-group-id-not-supported: not declared": "no other service takes part in a group",
    "400 mls-welcome-mismatch: not declared":
      "a Welcome that does not fit the commit is an mls-protocol-error",
  },
  "mls-message": {
    ...mlsExceptions,
    "400 mls-commit-missing-references: not declared": "commits come in bundles only",
    "400 mls-self-removal-not-allowed: not declared": "commits come in bundles only",
    "403 missing-legalhold-consent: not declared": "commits come in bundles only",
    "403 mls-subconv-join-parent-missing: not declared": "commits come in bundles only",
    "404 mls-proposal-not-found: not declared": "commits come in bundles only",
  },
  "leave-subconversation": {
    "409 mls-stale-message: not declared":
      "leaving waits for no commit, and succeeds whatever happens meanwhile",
  },
  "mls-reset-conversation": {
    "400 mls-federated-reset-not-supported: not declared": "no other service takes part in a group",
    "400 mls-group-id-not-supported: not declared": "no other service takes part in a group",
    "403 action-denied: not declared": "every role may reset what no device can use any more",
  },
  ...eventExceptions,
  "code-check": {
    "403 invalid-conversation-password: not declared": "joining needs the password, checking does not",
    "404 no-conversation: not declared": "a link without a conversation gets no-conversation-code",
  },
  "create-conversation-code-unqualified": missingEventData(201, ["code", "has_password", "key"]),
  "get-conversation-by-reusable-code": {
    "403 invalid-conversation-password: not declared":
      "joining needs the password, looking at the conversation does not",
  },
  "get-conversation-guest-links-status": { "200.ttl: is not integer": ttlIsWord },
  "remove-code-unqualified": { "200.data: is not an object": "nothing is left to say about a removed link" },
  "add-members-to-conversation": {
    ...eventExceptions["add-members-to-conversation"],
    "400 mls-group-id-not-supported: not declared": "no other service takes part in a group",
    "409.non_federating_backends: is missing": "only another change prevents it; no other domain does",
    "533: never answered": "users of other domains are not connected",
  },
  "create-group-conversation": {
    ...conversationExceptions("201"),
    "200: never answered": "a repeated request creates another group",
    "201.members.self: may be absent": "the creator of a channel need not be in it",
    "409.non_federating_backends: is missing": "only another change prevents it; no other domain does",
  },
  "create-one-to-one-conversation": {
    ...conversationExceptionsV3("200"),
    ...conversationExceptionsV3("201"),
    "404 non-binding-team: not declared": "there are no teams of another kind",
    "533: never answered": "users of other domains are not connected",
  },
  "create-self-conversation": { ...conversationExceptions("200"), ...conversationExceptions("201") },
  "get-mls-self-conversation": conversationExceptions("200"),
  "get-one-to-one-mls-conversation": conversationExceptions("200.conversation"),
  "update-other-member": {
    "request body.conversation_role: is demanded": "the interface refuses requests without a role",
  },
  "get-all-feature-configs-for-user": {
    ...featureExceptions["get-all-feature-configs-for-user"],
    "403 no-team-member: not declared": "a user's team is the one that the user is a member of",
  },
  put_LegalholdConfig: {
    ...featureExceptions.put_LegalholdConfig,
    "400 legalhold-not-registered: not declared": endsForAllInBackground,
    "403 action-denied: not declared": "no conversation is involved",
    "403 legalhold-disable-unimplemented: not declared": "legalhold-whitelisted-only says so",
    "500 legalhold-illegal-op: not declared": endsForAllInBackground,
    "500 legalhold-internal: not declared": endsForAllInBackground,
  },
  "consent-to-legal-hold": {
    "403 action-denied: not declared": "no conversation is involved",
    "403 invalid-op: not declared": "no conversation is involved",
    "500 legalhold-illegal-op: not declared": "consent leads from each status to one that may follow it",
    "500 legalhold-internal: not declared": "a job settles connections and groups",
  },
  "request-legal-hold-device": {
    "403 action-denied: not declared": "no conversation is involved",
    "500 legalhold-internal: not declared": "a request changes no connection and no group",
  },
  "approve-legal-hold-device": {
    ...noSecondFactorForLegalHold,
    "500 legalhold-internal: not declared": "a job settles connections and groups",
  },
  "disable-legal-hold-for-user": {
    ...noSecondFactorForLegalHold,
    "500 legalhold-illegal-op: not declared": "the answer is 204 if the member is not under legal hold",
    "500 legalhold-internal: not declared": "a job settles connections and groups",
  },
  "create-legal-hold-settings": {
    "400 legalhold-status-bad: not declared": "only the status of the service's answer counts",
  },
  "get-legal-hold-settings": { "403 operation-denied: not declared": "every member may do it" },
  "delete-legal-hold-settings": {
    "400 legalhold-not-registered: not declared": "it can be repeated",
    "403 action-denied: not declared": "no conversation is involved",
    "403 code-authentication-failed: not declared": "it needs no second factor",
    "403 code-authentication-required: not declared": "it needs no second factor",
    "403 invalid-op: not declared": "no conversation is involved",
    "500 legalhold-illegal-op: not declared": endsForAllInBackground,
    "500 legalhold-internal: not declared": endsForAllInBackground,
  },
  "post-otr-message-unqualified": noOldDevices,
  "post-proteus-message": noOldDevices,
  "post-otr-broadcast-unqualified": broadcastExceptions,
  "post-proteus-broadcast": broadcastExceptions,
  "get-activate": {
    "400 invalid-email: not declared": "the link names a key, never an address",
    "400 invalid-phone: not declared": "the link names a key, never a number",
  },
  "list-cookies": {
    "200.cookies[].label: is not just string": "the interface has null where there is no label",
    "200.cookies[].successor: is not just integer": "null where there is none, as with the label",
  },
  register: {
    "201.managed_by: is not =svc|scim": "the vendor word is a setting",
    "request body.sso_id: is missing":
      "refused: only provisioning creates accounts with a single sign-on identity",
    "request body.team_id: is missing": "refused: only internal callers choose the team",
    "request body.uuid: is missing": "refused: only internal callers choose the id",
  },
  "get-team": { "200.icon_key: is not just string": noValueIsNull },
  "get-team-member": {
    "200.created_at: is not just time": noValueIsNull,
    "200.created_by: is not just uuid": noValueIsNull,
  },
  "get-team-members": {
    "200.members[].created_at: is not just time": noValueIsNull,
    "200.members[].created_by: is not just uuid": noValueIsNull,
  },
  "get-team-members-by-ids": {
    "200.members[].created_at: is not just time": noValueIsNull,
    "200.members[].created_by: is not just uuid": noValueIsNull,
  },
  "delete-team-member": {
    "200: never answered": "there is always an account to delete in the background",
    "403 code-authentication-failed: not declared": "only the deletion of a team needs a second factor",
    "403 code-authentication-required: not declared": "only the deletion of a team needs a second factor",
  },
  "provider-password-reset": Object.fromEntries(
    ["400 invalid-code", "400 invalid-key", "409 password-must-differ"].map((error) => [
      `${error}: not declared`,
      "there is neither a code nor a password yet",
    ]),
  ),
  "provider-password-reset-complete": {
    "400 invalid-code: not declared": "a rejected code is 403",
    "403 invalid-credentials: not declared": "the code is the only credential",
  },
  "add-bot": eventWithin(201, ["add_type", "user_ids", "users"]),
  "remove-bot": eventWithin(200, ["qualified_user_ids", "reason", "user_ids"]),
  "bot-list-users": {
    "200[].handle: is not just string": "null for a user who has none",
    "200[].team: is not just uuid": "null for a user who is in none",
  },
  "bot-claim-users-prekeys": {
    ...botsAlwaysMay,
    "200.*.*: is not just an object": "null for a device that no longer exists, as for users",
  },
  "post-bot-message-unqualified": botsAlwaysMay,
  "get-bot-conversation": {
    "403 no-team-member: not declared": "bots are in no team",
    "403 operation-denied: not declared": "bots are in no team",
    "404 no-team: not declared": "bots are in no team",
  },
  "assets-download": { "200: never answered": "there are no assets of other domains to pass on" },
  "auth-tokens-create": { "200: never answered": "the interface has 201" },
  "auth-tokens-delete": tokenExceptions,
  "auth-tokens-list": tokenExceptions,
  "auth-tokens-put-name": tokenExceptions,
  "send-team-invitation": {
    "201.name: is not just string": noValueIsNull,
    "400 invalid-invitation-code: not declared": "the request has no code",
    "403 no-identity: not declared": "an inviter without a verified address gets no-email",
  },
  "get-team-invitation": { "200.name: is not just string": noValueIsNull },
  "get-team-invitations": { "200.invitations[].name: is not just string": noValueIsNull },
  "get-team-invitation-info": { "200.name: is not just string": noValueIsNull },
  "accept-team-invitation": {
    "403 missing-auth: not declared": "the request has a password, or is refused as malformed",
    "404 invalid-code: not declared": "unknown codes get 400 invalid-invitation-code, as at registration",
    "404 not-found: not declared": "unknown codes get 400 invalid-invitation-code, as at registration",
  },
  "get-conversation": conversationExceptions("200"),
  "list-conversations": conversationExceptions("200.found[]"),
  "get-conversation-self": {
    "200: is not just an object": "null for those who are not in the conversation",
  },
  "get-multi-user-prekey-bundle-qualified": {
    "200.qualified_user_client_prekeys.*.*.*: is not just an object":
      "null for a device that no longer exists, as in earlier versions",
  },
  "get-self": {
    "200.managed_by: is not =svc|scim": "the vendor word is a setting",
  },
  "search-contacts": {
    "200.documents[].managed_by: is not =svc|scim": "the vendor word is a setting",
  },
  "browse-team": {
    "200.documents[].managed_by: is not =svc|scim": "the vendor word is a setting",
  },
  "create-connection": noOldDevices,
  "update-connection": {
    ...noOldDevices,
    "403 no-identity: not declared": "a user without a verified identity has no connections",
  },
  "update-channel-add-permission": {
    ...eventExceptions["update-channel-add-permission"],
    "403 no-team-member: not declared": "whoever is not in the channel gets no-conversation",
    "403 not-connected: not declared": "no user is added",
    "403 operation-denied: not declared": "the role in the conversation decides",
    "404 no-team: not declared": "a channel is always of a team",
    "409.non_federating_backends: is missing": "no other domain is involved",
    "533: never answered": "no other domain is involved",
  },
  "update-conversation-message-timer": {
    ...eventExceptions["update-conversation-message-timer"],
    "200.data.message_timer: is not just integer": "null where there is no timer",
  },
  "update-conversation-protocol": {
    ...eventExceptions["update-conversation-protocol"],
    "403 no-team-member: not declared": "whoever is not in the conversation gets no-conversation",
    "403 operation-denied: not declared": "any member may do it",
    "404 no-team: not declared": "a conversation without a team gets invalid-protocol-transition",
  },
  "get-provider-services": { "200[].public_keys[]: is not string": keysAreObjects },
  "get-provider-services-by-service-id": { "200.public_keys[]: is not string": keysAreObjects },
  "idp-get": providerExceptions("200"),
  "idp-get-all": providerExceptions("200.providers[]"),
  "idp-create": providerExceptions("201"),
  "idp-update": providerExceptions("200"),
  "auth-req-precheck": { "200: is not text/plain": "the answer to HEAD has no body" },
  "auth-resp": { "200: is not text/plain": "a page for people: text/html" },
  "auth-resp-legacy": { "200: is not text/plain": "a page for people: text/html" },
  "sso-settings": { "200.default_sso_code: is not just uuid": "null where there is none" },
  "delete-self": {
    "400 invalid-user: not declared": "an account that no longer exists is deleted already",
    "403 invalid-code: not declared": "codes are checked by verify-delete",
    "403 missing-auth: not declared": "without the password a code is sent",
  },
  "delete-team": {
    "503 queue-full: not declared": "the job is committed with the change, and sent once the queue takes it",
  },
  "get-team-size": {
    "400 invalid-invitation-code: not declared": "the request has no code",
  },
  "revoke-oauth-refresh-token": {
    "200: has no JSON body": "the interface has an empty body",
  },
  "get-domain-registration": {
    "200.backend_url: may be absent": "only the redirect `backend` has it",
    "200.sso_code: may be absent": "only the redirect `sso` has it",
  },
  "get-all-registered-domains": {
    "200.registered_domains[].backend: may be absent": "only the redirect `backend` has it",
    "200.registered_domains[].backend_url: may be absent": "only the redirect `backend` has it",
    "200.registered_domains[].dns_verification_token: is not just string":
      "null for a domain that has not been verified",
    "200.registered_domains[].sso_code: may be absent": "only the redirect `sso` has it",
    "200.registered_domains[].team: may be absent": "only the rule `team` has it",
  },
  "change-self-email": {
    "204: has no JSON body": "a 204 has no body in HTTP",
  },
};

/** Operations that are missing from the published documents of these versions, and why they exist. */
const unpublishedOperations = {
  "idp-get-attributes": "settings of an identity provider that clients of the interface do not know",
  "idp-put-attributes": "settings of an identity provider that clients of the interface do not know",
  "add-members-to-conversation-unqualified":
    "published up to version 1, and the interface has it in every version",
  "remove-member-unqualified": "published up to version 1, and the interface has it in every version",
  "update-conversation-name-deprecated":
    "published up to version 7, and the interface has it in every version",
  "get-activation-page": "the mails with an activation code link to it",
  "post-activation-confirmation": "the form on get-activation-page",
  "get-provider-activation-page": "the mails to providers with an activation code link to it",
  "post-provider-activation": "the form on get-provider-activation-page",
  "get-provider-reset-page": "the mails to providers with a reset code link to it",
  "post-provider-reset": "the form on get-provider-reset-page",
  "get-join-page": "the mails with an invitation link to it",
  "post-join": "the form on get-join-page",
  "get-guest-link-page": "guest links lead to it by default",
  "get-forgotten-password-page": "apps lead to it on the account site",
  "get-profile-link-page": "apps lead to it on the account site",
  "get-delete-page": "the messages with a deletion code link to it",
  "post-delete-confirmation": "the form on get-delete-page",
  "get-openapi": "describes the others",
  "get-docs": "describes the others",
  "get-docs-asset": "describes the others",
  "get-docs-guides": "describes the others",
  "get-docs-guide": "describes the others",
  "get-home": "for people who open the address in a browser",
  "get-deep-link": "apps read it from an address that the operator names",
  "get-deep-link-page": "opens the app with get-deep-link",
  "get_ValidateSAMLEmailsConfig-respelled": "the interface spells the feature in another way",
  "get-authorize": "the interface has it for browsers; clients know `create-oauth-auth-code`",
  "post-authorize-login": "a form on the pages of get-authorize",
  "post-authorize-code": "a form on the pages of get-authorize",
  "post-authorize-company": "a form on the pages of get-authorize",
  "get-authorize-company": "where a login through a company leads back to get-authorize",
  "post-authorize-decision": "a form on the pages of get-authorize",
  "post-authorize-logout": "a form on the pages of get-authorize",
  "post-authorize": "get-authorize as a form, as OpenID Connect has it",
  "get-end-session": "a page, where apps send people to log out",
  "post-end-session": "get-end-session as a form",
  "post-end-session-confirmation": "a form on the page of get-end-session",
  "get-openid-configuration": "client libraries look for it as OpenID Connect Discovery says",
  "get-oauth-userinfo": "named by get-openid-configuration",
  "post-oauth-userinfo": "named by get-openid-configuration",
  "introspect-oauth-token": "named by get-openid-configuration",
  "get-oauth-metadata": "client libraries look for it as RFC 8414 says",
  "get-oauth-jwks": "the keys that the metadata names",
  "get-conversations": "published up to version 2, and the interface has it in every version",
  "get-conversation-unqualified": "published up to version 2, and the interface has it in every version",
  "list-conversation-ids-unqualified": "published up to version 2, and the interface has it in every version",
  "get-conversation-self": "published from version 9 on; otherwise version 8 would have no form of it",
  "get-team-members-singular": "the interface has this older path in every version",
  "search-contacts-post": "the interface has POST, the published documents have GET",
  "get-team-invitation-info-singular": "the interface has the path in the singular",
  "mls-key-packages-claim-own": "the interface has a claim without a user, for the caller's own devices",
  "send-login-code": "published up to version 5, and the interface has it in every version",
  "change-phone": "published up to version 5, and the interface has it in every version",
  "remove-phone": "published up to version 5, and the interface has it in every version",
  "begin-asset-upload": "clients of operators without relays send large files by it",
  "get-asset-upload-parts": "part of begin-asset-upload",
  "complete-asset-upload": "ends begin-asset-upload",
  ...Object.fromEntries(
    Object.entries(operations)
      .filter(([, { errorFormat }]) => errorFormat === "scim")
      .map(([id]) => [id, "SCIM, whose operations RFC 7644 describes"]),
  ),
};

const published = readPublishedInterface();
const settings = parseSettings({});
const versions = [8, 9];
const comparisons = new Map(
  versions.map((version) => [version, compareInterface(openapiOf(version, settings), published)]),
);
const all = [...comparisons.values()];

describe.each(versions)("version %i", (version) => {
  const comparison = comparisons.get(version);

  test("keeps the published form of every operation it has", () => {
    const unexpected = comparison?.differences.filter(
      ({ operation, what }) => exceptions[operation]?.[what] === undefined,
    );
    expect(unexpected).toEqual([]);
  });

  test("has no unpublished operation without a stated reason", () => {
    const unexpected = comparison?.unpublished.filter((id) => !(id in unpublishedOperations));
    expect(unexpected).toEqual([]);
  });
});

test("the README states how many operations are covered", () => {
  const readme = readFileSync("README.md", "utf8").replaceAll(/\s+/g, " ");
  const stated = readme.match(/version \d+ has \d+ of \d+/g);
  const counted = [...comparisons].map(
    ([version, { covered, missing }]) =>
      `version ${version} has ${covered.length} of ${covered.length + missing.length}`,
  );
  expect(stated).toEqual(counted);
});

test("every exception is still needed", () => {
  const found = new Set(
    all.flatMap(({ differences }) => differences.map(({ operation, what }) => `${operation}: ${what}`)),
  );
  const listed = Object.entries(exceptions).flatMap(([operation, reasons]) =>
    Object.keys(reasons).map((what) => `${operation}: ${what}`),
  );
  expect(listed.filter((exception) => !found.has(exception))).toEqual([]);

  const unpublished = new Set(all.flatMap((comparison) => comparison.unpublished));
  expect(Object.keys(unpublishedOperations).filter((id) => !unpublished.has(id))).toEqual([]);
});
