import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import * as types from "#shared/platform/outbound/service-types.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { teamPath } from "../schemas.ts";

const newService = z
  .object({
    base_url: types.newBaseUrl,
    public_key: types.newPublicKey,
    auth_token: types.authToken,
  })
  .meta({
    id: "NewLegalHoldService",
    examples: [
      {
        base_url: "https://hold.example.com",
        public_key: types.exampleKey,
        auth_token: "c2VjcmV0LXRva2Vu",
      },
    ],
  });

const serviceInfo = z
  .object({
    team_id: uuid,
    base_url: types.baseUrl,
    fingerprint: z.string().meta({ description: "Of the public key, in base64" }),
    auth_token: z.string().meta({ description: "As registered, for admins; empty for other members" }),
    public_key: types.publicKey,
  })
  .meta({ id: "ViewLegalHoldServiceInfo" });

const service = z
  .object({
    status: z.enum(["configured", "not_configured", "disabled"]).meta({
      description: "`disabled`: the team has no legal hold",
    }),
    settings: serviceInfo.optional().meta({ description: "With `configured`" }),
  })
  .meta({ id: "ViewLegalHoldService" });

const removal = z
  .object({
    password: accountTypes.password.optional().meta({
      description:
        "The caller's; absent without one, optional for those who log in through an identity provider",
    }),
  })
  .meta({ id: "LegalHoldPasswordConfirmation", examples: [{ password: "correct horse battery" }] });

const settings = { path: "/teams/{tid}/legalhold/settings", auth: "user", params: teamPath } as const;

export const routes = defineRoutes({
  "create-legal-hold-settings": {
    costs: uncharged.bounded,
    ...settings,
    method: "POST",
    audit: "legal-hold.changed",
    summary: "Register the legal hold service of a team",
    description:
      "For admins and owners. The service must answer `GET /status` with a certificate for the key, which " +
      "may be self-signed. Replaces the previous service.",
    body: newService,
    responses: { 201: service },
    errors: [
      "legalhold-not-enabled",
      "not-a-team-member",
      "operation-denied",
      "legalhold-invalid-key",
      "too-many-requests",
      "legalhold-unavailable",
    ],
  },
  "get-legal-hold-settings": {
    ...settings,
    method: "GET",
    summary: "Get the legal hold service of your team",
    responses: { 200: service },
    errors: ["not-a-team-member"],
  },
  "delete-legal-hold-settings": {
    ...settings,
    method: "DELETE",
    audit: "legal-hold.changed",
    summary: "Remove the legal hold service of a team and end legal hold for all members",
    description:
      "For admins and owners, who must give their password if they have one. Removes the members' legal " +
      "hold devices and withdraws requests for them; in a large team, some follow in the background.",
    body: removal,
    responses: { 204: null },
    errors: [
      "legalhold-disable-unimplemented",
      "legalhold-not-enabled",
      "not-a-team-member",
      "operation-denied",
      "access-denied",
      "login-budget-exhausted",
      "too-many-requests",
    ],
  },
});
