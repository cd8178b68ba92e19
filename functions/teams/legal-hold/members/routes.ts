import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { clientReference } from "#shared/devices/device-view.ts";
import { exampleLastPrekey, prekey, prekeyItem } from "#shared/devices/prekey.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { userId } from "#shared/platform/http/wire-types.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { legalHoldStatus } from "#shared/teams/member.ts";
import { teamPath } from "../schemas.ts";

const userPath = z.object({ uid: userId });
const memberPath = teamPath.extend(userPath.shape);

const status = z
  .object({
    status: legalHoldStatus,
    last_prekey: prekeyItem
      .optional()
      .meta({ description: "Of the device, while one is requested or present" }),
    client: clientReference.optional(),
  })
  .meta({ id: "UserLegalHoldStatusResponse" });

const password = accountTypes.password.optional().meta({
  description: "The caller's; absent without one, optional for those who log in through an identity provider",
});

const approval = z
  .object({ password })
  .meta({ id: "LegalHoldPasswordConfirmation", examples: [{ password: "correct horse battery" }] });

const end = z
  .object({ password })
  .meta({ id: "LegalHoldPasswordConfirmation", examples: [{ password: "correct horse battery" }] });

const announcement = z.object({ requester: userId, last_prekey: prekey }).meta({
  id: "LegalHoldClientRequest",
  examples: [
    {
      requester: "0b3c1a52-9d5e-4a3f-8f0e-2b1d4c5e6f70",
      last_prekey: exampleLastPrekey,
    },
  ],
});

const ofMember = { path: "/teams/{tid}/legalhold/{uid}", auth: "user", params: memberPath } as const;

export const routes = defineRoutes({
  "get-legal-hold": {
    ...ofMember,
    method: "GET",
    summary: "Get the legal hold status of a member of a team",
    description: "For everybody.",
    responses: { 200: status },
    errors: ["team-member-not-found", "legalhold-internal"],
  },
  "consent-to-legal-hold": {
    costs: uncharged.bounded,
    method: "POST",
    audit: "legal-hold.consented",
    path: "/teams/{tid}/legalhold/consent",
    auth: "user",
    summary: "Consent to legal hold in your team",
    description: "Consent cannot be withdrawn. 204 if you had consented before.",
    params: teamPath,
    responses: { 201: null, 204: null },
    errors: ["team-member-not-found"],
  },
  "request-legal-hold-device": {
    costs: uncharged.bounded,
    ...ofMember,
    method: "POST",
    audit: "legal-hold.requested",
    summary: "Ask a member to approve a legal hold device",
    description:
      "For admins and owners. The legal hold service creates the device; a repeated request replaces it " +
      "and is answered 204.",
    responses: { 201: null, 204: null },
    errors: [
      "legalhold-not-enabled",
      "not-a-team-member",
      "operation-denied",
      "team-member-not-found",
      "legalhold-already-enabled",
      "legalhold-no-consent",
      "mls-legal-hold-not-allowed",
      "legalhold-not-registered",
      "too-many-requests",
      "legalhold-unavailable",
      "legalhold-status-bad",
      "legalhold-version-unknown",
      "legalhold-illegal-op",
    ],
  },
  "approve-legal-hold-device": {
    costs: uncharged.bounded,
    method: "PUT",
    audit: "legal-hold.approved",
    path: "/teams/{tid}/legalhold/{uid}/approve",
    auth: "user",
    summary: "Approve the legal hold device that an admin has requested for you",
    description:
      "Adds the device, and gives the legal hold service a cookie with which it gets access tokens. If the " +
      "service cannot be reached, the request stays pending and can be approved again.",
    params: memberPath,
    body: approval,
    responses: { 200: null },
    errors: [
      "legalhold-not-enabled",
      "access-denied",
      "login-budget-exhausted",
      "too-many-requests",
      "not-a-team-member",
      "legalhold-already-enabled",
      "legalhold-not-pending",
      "legalhold-no-device-allocated",
      "legalhold-not-registered",
      "legalhold-unavailable",
      "legalhold-version-unknown",
      "legalhold-illegal-op",
    ],
  },
  "disable-legal-hold-for-user": {
    ...ofMember,
    method: "DELETE",
    audit: "legal-hold.ended",
    summary: "End legal hold of a member, or withdraw the request for it",
    description:
      "For admins and owners, who must give their password if they have one. 204 when there is nothing to " +
      "end, whatever the password.",
    body: end,
    responses: { 200: null, 204: null },
    errors: [
      "not-a-team-member",
      "operation-denied",
      "access-denied",
      "login-budget-exhausted",
      "too-many-requests",
      "legalhold-not-registered",
      "legalhold-unavailable",
      "legalhold-version-unknown",
    ],
  },
  "i-request-legal-hold-client": {
    method: "POST",
    audit: "legal-hold.requested",
    path: "/i/clients/legalhold/{uid}/request",
    auth: "internal",
    summary: "Announce that a legal hold device awaits a user's approval",
    params: userPath,
    body: announcement,
    responses: { 200: null },
    errors: [],
  },
  "i-remove-legal-hold-client": {
    method: "DELETE",
    audit: "legal-hold.ended",
    path: "/i/clients/legalhold/{uid}",
    auth: "internal",
    summary: "Remove the legal hold device of a user, and end legal hold",
    description: "Does not tell the legal hold service.",
    params: userPath,
    responses: { 200: null },
    errors: [],
  },
});
