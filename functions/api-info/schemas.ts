import * as z from "zod";
import { allVersions } from "#shared/http/versions.ts";

const versionNumber = z.literal([...allVersions]).meta({ id: "VersionNumber" });

export const versionInfo = z
  .object({
    supported: z.array(versionNumber),
    development: z.array(versionNumber),
    federation: z.boolean(),
    domain: z.string(),
  })
  .meta({ id: "VersionInfo" });

export const openapiDocument = z.record(z.string(), z.unknown());

/** Files of the API document's page; nothing else in that folder can be named. */
export const docsAssetPath = z.object({
  file: z.enum(["swagger-ui-bundle.js", "swagger-ui.css", "docs.js"]),
});
