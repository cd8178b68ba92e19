import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "get-system-settings-unauthorized": {
    method: "GET",
    path: "/system/settings/unauthorized",
    auth: "none",
    summary: "Get the settings that matter before a login",
    responses: { 200: schemas.publicSettings },
    errors: [],
  },
  "get-system-settings": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/system/settings",
    auth: "user",
    summary: "Get the settings that matter to clients",
    responses: { 200: schemas.settings },
    errors: [],
  },
  "get-server-time": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/time",
    since: 9,
    auth: "user",
    summary: "Get the time of the service",
    responses: { 200: schemas.serverTime },
    errors: [],
  },
  "onboarding-v0": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.preparation,
    path: "/onboarding/v3",
    until: 7,
    auth: "user",
    summary: "Match an address book",
    description: "Never finds anybody; kept for old clients.",
    body: schemas.addressBook,
    bodyLimit: 1024 * 1024,
    responses: { 200: schemas.noMatches },
    errors: [],
  },
});
