import { defineErrors } from "./define-errors.ts";

/** Errors of assets. */
export const assetErrors = defineErrors({
  "malformed-upload": {
    status: 400,
    label: "client-error",
    message: "The body does not have the two parts of an upload",
  },
  "invalid-length": { status: 400, message: "The length of the asset has to be more than 0" },
  "incomplete-body": { status: 400, message: "The asset has fewer bytes than announced" },
  "unverified-user": { status: 403, message: "The account cannot upload" },
  unauthorised: { status: 403, message: "Only its owner can do this with an asset" },
  "asset-too-large": { status: 413, label: "client-error", message: "The asset is too large" },
});
