import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";

const guidePath = z.object({
  guide: z.string().meta({ description: "Name of the guide, or of a file that a guide links to" }),
});

const section = z.object({
  anchor: z.string().meta({ description: "Fragment of its address" }),
  title: z.string(),
  text: z.string().meta({ description: "Without markup" }),
});

const guideList = z
  .object({
    guides: z.array(
      z.object({
        name: z.string().meta({ description: "Last part of its path" }),
        title: z.string(),
        sections: z.array(section),
      }),
    ),
  })
  .meta({ id: "GuideList" });

export const routes = defineRoutes({
  "get-docs-guides": {
    method: "GET",
    path: "/api/docs/guides",
    auth: "none",
    summary: "List the guides for developers of clients",
    compresses: true,
    responses: { 200: guideList },
    errors: [],
  },
  "get-docs-guide": {
    method: "GET",
    path: "/api/docs/guides/{guide}",
    auth: "none",
    summary: "Show a guide for developers of clients in a browser",
    params: guidePath,
    compresses: true,
    responses: { 200: { contentType: "text/*" } },
    errors: ["not-found"],
  },
});
