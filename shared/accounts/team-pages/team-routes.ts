import * as z from "zod";
import { formHeaders } from "#shared/platform/html/form-origin.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import type { Route } from "#shared/platform/http/route.ts";
import { teamOutcomes } from "./outcomes.ts";

/** What the row of every team page has, whichever function serves it. */

/** Query of a page to which a form has led. */
export const outcomeQuery = z.object({
  outcome: z.enum(teamOutcomes).optional().meta({ description: "What the last form did" }),
});

/** Fields that every form has. */
export const teamForm = z.object({
  form_token: z.string().max(128).meta({ description: "Hidden field of the page with the form" }),
});

const common = {
  auth: "none",
  isForBrowsersOnly: true,
  headers: formHeaders,
  errorFormat: "page",
  errors: ["jwt-error"],
} as const satisfies Partial<Route>;

export const teamPage = {
  ...common,
  method: "GET",
  query: outcomeQuery,
  description: "For admins who have logged in on the account pages; others are led there.",
  responseHeaders: { Location: "The page for logging in" },
  responses: { 200: pageBody, 303: null },
} as const satisfies Partial<Route>;

export const teamAction = {
  ...common,
  method: "POST",
  bodyFormat: "form",
  description: "303 leads to the page that says what became of it.",
  responseHeaders: { Location: "The next page" },
  responses: { 303: null },
} as const satisfies Partial<Route>;
