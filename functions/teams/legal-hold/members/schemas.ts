import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { clientReference } from "#shared/devices/device-view.ts";
import { exampleLastPrekey, prekey, prekeyItem } from "#shared/devices/prekey.ts";
import { userId } from "#shared/platform/http/wire-types.ts";
import { legalHoldStatus } from "#shared/teams/member.ts";
import { teamPath } from "../schemas.ts";

export const userPath = z.object({ uid: userId });
export const memberPath = teamPath.extend(userPath.shape);

export const status = z
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

export const approval = z
  .object({ password })
  .meta({ id: "LegalHoldPasswordConfirmation", examples: [{ password: "correct horse battery" }] });

export const end = z
  .object({ password })
  .meta({ id: "LegalHoldPasswordConfirmation", examples: [{ password: "correct horse battery" }] });

export const announcement = z.object({ requester: userId, last_prekey: prekey }).meta({
  id: "LegalHoldClientRequest",
  examples: [
    {
      requester: "0b3c1a52-9d5e-4a3f-8f0e-2b1d4c5e6f70",
      last_prekey: exampleLastPrekey,
    },
  ],
});
