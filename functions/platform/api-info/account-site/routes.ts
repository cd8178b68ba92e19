import * as z from "zod";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";

const page = {
  method: "GET",
  allowsTrailingSlash: true,
  errorFormat: "page",
  auth: "none",
} as const satisfies Partial<Route>;

/** A user's id, with or without the domain. */
const user = /^([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})(?:@([a-z\d.-]{1,253}))?$/i;

const profileQuery = z.object({
  id: z
    .string()
    .regex(user)
    .transform((text) => {
      const [, id = "", domain] = user.exec(text) ?? [];
      return { id: id.toLowerCase(), domain };
    })
    .meta({
      description: "Id of the user, as `<id>` or `<id>@<domain>`",
      examples: ["0190a5b8-0000-4000-8000-00000000000a@chat.example"],
    }),
});

/** Addresses on the account site to which apps lead people; the operator may have named this service as that site. */
export const routes = defineRoutes({
  "get-forgotten-password-page": {
    ...page,
    path: "/forgot",
    summary: "Lead to the page for a forgotten password",
    responses: { 302: null },
    responseHeaders: { Location: "The page `/password-reset/page/request`" },
    errors: [],
  },
  "get-profile-link-page": {
    ...page,
    path: "/user-profile",
    summary: "Show a page with links that open the profile of a user",
    description:
      "In an app, and in the web app, if there is one. Whether there is such a user, the client finds out.",
    query: profileQuery,
    headers: browserHeaders,
    responses: { 200: pageBody },
    errors: [],
  },
});
