import * as z from "zod";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";

const url = z.string();
const deepLink = z
  .object({
    title: z.string().meta({ description: "Name of the installation" }),
    endpoints: z.object({
      backendURL: url,
      backendWSURL: url,
      blackListURL: url,
      teamsURL: url,
      accountsURL: url,
      websiteURL: url,
    }),
  })
  .meta({ id: "DeepLinkConfiguration", description: "What an app has to be told to use this installation" });

export const routes = defineRoutes({
  "get-home": {
    method: "GET",
    path: "/",
    errorFormat: "page",
    auth: "none",
    summary: "Show a page with links to what is here",
    headers: browserHeaders,
    responses: { 200: pageBody },
    errors: [],
  },
  "get-deep-link": {
    method: "GET",
    path: "/deeplink.json",
    auth: "none",
    summary: "Get what an app has to be told to use this installation",
    description: "404 unless the operator has set `deepLink`.",
    responses: { 200: deepLink },
    errors: ["not-found"],
  },
  "get-deep-link-page": {
    method: "GET",
    path: "/deeplink.html",
    errorFormat: "page",
    auth: "none",
    summary: "Show a page with a link that makes an app use this installation",
    description: "404 unless the operator has set `deepLink`.",
    headers: browserHeaders,
    responses: { 200: pageBody },
    errors: ["not-found"],
  },
});
