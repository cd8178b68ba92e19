import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";

/** Older kinds of assets, which `/assets` has replaced. */
const retired = {
  method: "GET",
  until: 1,
  auth: "user",
  summary: "Download an asset of an older kind",
  description: "Always 404: there are none.",
  params: z.object({ cid: z.string(), id: z.string() }),
  responses: {},
  errors: ["not-found"],
} as const;

export const routes = defineRoutes({
  "assets-download-v1-conversation": { ...retired, path: "/conversations/{cid}/assets/{id}" },
  "assets-download-v2-conversation": { ...retired, path: "/conversations/{cid}/otr/assets/{id}" },
});
