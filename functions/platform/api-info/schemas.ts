import * as z from "zod";
import { allVersions } from "#shared/platform/http/versions.ts";
import { anyObject } from "#shared/platform/http/wire-types.ts";

const versionNumber = z.literal([...allVersions]).meta({ id: "VersionNumber" });

export const versionInfo = z
  .object({
    supported: z.array(versionNumber).meta({ description: "Versions to choose from" }),
    development: z.array(versionNumber).meta({ description: "Versions that still change" }),
    federation: z.boolean().meta({ description: "Whether users of other domains can be reached" }),
    domain: z.string().meta({ description: "Domain of this service in qualified ids" }),
  })
  .meta({ id: "VersionInfo" });

export const openapiDocument = anyObject;

const docsAssets: ReadonlySet<string> = new Set([
  "swagger-ui-bundle.js",
  "swagger-ui.css",
  "docs.js",
  "docs.css",
  "try.html",
  "try.js",
]);

/** Files of the API document's page; nothing else in that folder can be requested. */
export const docsAssetPath = z.object({
  file: z
    .string()
    .refine((file) => docsAssets.has(file), "no file of the page")
    .meta({ description: "Name of the file" }),
});
