import * as z from "zod";
import { userAsset } from "../account.ts";

/** Fields of profiles, in requests and responses. */

export const accentId = z
  .int32()
  .meta({ description: "Number of the colour in which clients show the user" });
export const profileAssets = z.array(userAsset).meta({ description: "Pictures of the user" });
export const oldPicture = z
  .array(z.record(z.string(), z.unknown()))
  .max(10)
  .meta({ description: "Pictures of old clients, replaced by `assets`", deprecated: true });
export const textStatus = z
  .string()
  .min(1)
  .max(256)
  .meta({ description: "Short text about what the user is doing" });
