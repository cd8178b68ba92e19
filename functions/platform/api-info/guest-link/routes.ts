import { presentedLink } from "#shared/conversations/guest-link-view.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";

export const routes = defineRoutes({
  "get-guest-link-page": {
    method: "GET",
    path: "/conversation-join",
    allowsTrailingSlash: true,
    errorFormat: "page",
    auth: "none",
    summary: "Show the page that guest links open by default",
    description:
      "Redirects to the web app or, if the operator names none, says what to do. Whether the link is valid, the client " +
      "finds out.",
    query: presentedLink,
    headers: browserHeaders,
    responses: { 200: pageBody, 302: null },
    responseHeaders: { Location: "Page of the web app for guest links" },
    errors: [],
  },
});
