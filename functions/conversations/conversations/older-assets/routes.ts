import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";

/** Of kinds that were replaced by assets of their own address. */
const retired = {
  method: "GET",
  until: 1,
  auth: "user",
  summary: "Download an asset of an older kind",
  description: "There are none: always 404.",
  params: z.object({ cid: z.string(), id: z.string() }),
  responses: {},
  errors: ["not-found"],
} as const;

export const routes = defineRoutes({
  "assets-download-v1-conversation": { ...retired, path: "/conversations/{cid}/assets/{id}" },
  "assets-download-v2-conversation": { ...retired, path: "/conversations/{cid}/otr/assets/{id}" },
});
