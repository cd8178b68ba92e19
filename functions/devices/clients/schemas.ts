import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { deviceCapability, deviceClass, deviceType } from "#shared/devices/device.ts";
import * as deviceViews from "#shared/devices/device-view.ts";
import { exampleLastPrekey, examplePrekey, lastPrekeyId, prekeyItem } from "#shared/devices/prekey.ts";
import { deviceId } from "#shared/platform/http/device-id.ts";
import { userId } from "#shared/platform/http/wire-types.ts";

const text = z.string().max(1024);

/** Keys that a device uploads. Their content is checked later, by `checkKeys`. */
const keys = {
  prekeys: z.array(prekeyItem).meta({ description: "Each is given out once" }),
  lastkey: prekeyItem.meta({
    description: `The last-resort prekey, with the id ${lastPrekeyId}: given out again and again once no other is left`,
  }),
  mls_public_keys: deviceViews.mlsPublicKeys.optional(),
};
const capabilities = z
  .array(deviceCapability)
  .optional()
  .meta({ description: "What the device can do. A capability cannot be taken back." });
const label = text.optional().meta({ description: "Name for the user to recognise it by" });

export const newDevice = z
  .object({
    ...keys,
    type: deviceType.meta({
      description: "`legalhold` is refused: such a device is added only by approving it",
    }),
    class: deviceClass.optional().meta({ description: "`legalhold` is refused, as for the type" }),
    label,
    model: text.optional().meta({ description: "What the device is, such as its make" }),
    cookie: z
      .string()
      .max(256)
      .optional()
      .meta({ description: "Label of the cookies to revoke when the device is removed" }),
    capabilities,
    password: accountTypes.password.optional().meta({
      description: "Required unless this is the first device of its type, or the account has no password",
    }),
    verification_code: accountTypes.verificationCode.optional().meta({
      description: "Second-factor code for `login`; required where a second factor is",
    }),
  })
  .meta({
    id: "NewClient",
    // oapi-codegen names the function that creates an API client `NewClient`.
    "x-go-name": "ClientRegistration",
    examples: [
      {
        type: "permanent",
        class: "desktop",
        label: "Ada's laptop",
        prekeys: [examplePrekey],
        lastkey: exampleLastPrekey,
        password: "correct horse battery",
      },
    ],
  });
export type NewDevice = z.output<typeof newDevice>;

export const updateDevice = z
  .object({
    prekeys: keys.prekeys.optional(),
    lastkey: keys.lastkey.optional(),
    mls_public_keys: keys.mls_public_keys,
    label,
    capabilities,
  })
  .meta({
    id: "UpdateClient",
    description: "Absent fields stay as they are",
    examples: [{ label: "Ada's old laptop", prekeys: [examplePrekey] }],
  });
export type UpdateDevice = z.output<typeof updateDevice>;

export const deleteDevice = z
  .object({ password: accountTypes.password.optional() })
  .meta({ id: "PasswordConfirmation", examples: [{ password: "correct horse battery" }] });

/** Device ids are hex; a malformed id counts as an unknown one. */
export const devicePath = z.object({
  client: deviceId.regex(/^[A-Za-z0-9-]*$/).meta({ description: "Id of one of your devices" }),
});

export const devicePathOfUser = devicePath.extend({ uid: userId });

export const deviceList = z.array(deviceViews.deviceView);
export const nestedDeviceList = z.array(deviceViews.nestedDeviceView);

export const prekeyIds = z.array(prekeyItem.shape.id);

export const dpopHeaders = z.object({
  DPoP: z.string().min(1).max(8192).meta({
    description:
      "DPoP proof (RFC 9449 §4.2): a JWT signed with the device's key, with the nonce from `get-nonce`",
  }),
});

export const dpopAccessToken = z
  .object({
    token: z.string().meta({ description: "A JWT for the certificate authority" }),
    type: z.literal("DPoP"),
    expires_in: z.int().meta({ description: "Lifetime of the token in seconds" }),
  })
  .meta({ id: "DPoPAccessTokenResponse" });
