import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import * as types from "#shared/platform/outbound/service-types.ts";

export const newService = z
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

export const service = z
  .object({
    status: z.enum(["configured", "not_configured", "disabled"]).meta({
      description: "`disabled`: the team has no legal hold",
    }),
    settings: serviceInfo.optional().meta({ description: "With `configured`" }),
  })
  .meta({ id: "ViewLegalHoldService" });

export const removal = z
  .object({
    password: accountTypes.password.optional().meta({
      description:
        "The caller's; absent without one, optional for those who log in through an identity provider",
    }),
  })
  .meta({ id: "LegalHoldPasswordConfirmation", examples: [{ password: "correct horse battery" }] });
