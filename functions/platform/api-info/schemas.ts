import * as z from "zod";
import { anyObject } from "#shared/platform/http/wire-types.ts";

// Not an enumeration: clients that are generated today also meet the versions of tomorrow.
const versionNumber = z.int32().nonnegative().meta({ id: "VersionNumber" });

export const versionInfo = z
  .object({
    supported: z.array(versionNumber).meta({ description: "Versions to choose from" }),
    development: z.array(versionNumber).meta({ description: "Versions that still change" }),
    federation: z.boolean().meta({ description: "Whether users of other domains can be reached" }),
    domain: z.string().meta({ description: "Domain of this service in qualified ids" }),
  })
  .meta({ id: "VersionInfo" });

export const openapiDocument = anyObject;

const pathOf = (files: readonly string[]) =>
  z.object({
    file: z
      .string()
      .refine((file) => files.includes(file), "no file of the page")
      .meta({ description: "Name of the file" }),
  });

const filesOfPage = ["docs.js", "docs.css"];
/** Files of the API document's pages; nothing else in their folder can be requested. */
export const docsAssetPath = pathOf([
  ...filesOfPage,
  "guide.js",
  "try.html",
  "try.js",
  "swagger-ui-bundle.js",
  "swagger-ui.css",
]);
export const internalDocsAssetPath = pathOf(filesOfPage);
