import * as z from "zod";
import { answerBytes } from "#shared/platform/http/answer-size.ts";
import { anyObject } from "#shared/platform/http/wire-types.ts";
import { userAsset } from "../account.ts";

/** Fields of profiles, in requests and responses. */

export const accentId = z
  .int32()
  .meta({ description: "Number of the colour in which clients show the user" });
export const profileAssets = z.array(userAsset).meta({ description: "Pictures of the user" });
export const oldPictures = z
  .array(anyObject)
  .max(10)
  .meta({ description: "Pictures of old clients, replaced by `assets`", deprecated: true });

/** Limit on the bytes of old pictures; those of old clients have some hundred. */
const maxPictureBytes = 4096;

/** The same in requests, where they are limited so that answers with many profiles stay small. */
export const newAssets = z
  .array(userAsset.extend({ key: userAsset.shape.key.max(256) }).meta({ id: "UserAssetUpload" }))
  .max(10)
  .meta({ description: "Pictures of the user" });
export const newOldPicture = oldPictures
  .refine((picture) => answerBytes(picture) <= maxPictureBytes, "too large")
  .meta({
    description: `Pictures of old clients, replaced by \`assets\`; up to ${maxPictureBytes} bytes`,
    deprecated: true,
  });

export const textStatus = z
  .string()
  .min(1)
  .max(256)
  .meta({ description: "Short text about what the user is doing" });
