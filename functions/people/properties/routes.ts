import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import * as schemas from "./schemas.ts";

/** Above `setPropertyMaxValueLen`, so that a value slightly too large gets its own error. */
const bodyLimit = 1024 * 1024;

export const routes = defineRoutes({
  "set-property": {
    costs: uncharged.itself,
    method: "PUT",
    audit: unaudited.ownState,
    path: "/properties/{key}",
    takesRest: true,
    auth: "user",
    summary: "Set a property",
    description:
      "You can have 16 properties of up to 524288 bytes each, and write as many bytes per day as the " +
      "operator allows, fewer with an anonymous account. Your other devices learn of it from " +
      "`user.properties-set`.",
    params: schemas.propertyPath,
    body: schemas.propertyText,
    bodyFormat: "json-text",
    bodyLimit,
    responses: { 200: null },
    errors: [
      "not-found",
      "property-key-too-large",
      "property-value-too-large",
      "too-many-properties",
      "too-many-requests",
    ],
  },
  "get-property": {
    method: "GET",
    path: "/properties/{key}",
    takesRest: true,
    auth: "user",
    summary: "Get the value of a property",
    params: schemas.propertyPath,
    responses: { 200: schemas.propertyValue, 404: null },
    errors: [],
  },
  "delete-property": {
    method: "DELETE",
    audit: unaudited.ownState,
    path: "/properties/{key}",
    takesRest: true,
    auth: "user",
    summary: "Remove a property",
    description: "200 even if it does not exist.",
    params: schemas.propertyPath,
    responses: { 200: null },
    errors: [],
  },
  "list-property-keys": {
    method: "GET",
    path: "/properties",
    auth: "user",
    summary: "List the keys of all properties",
    responses: { 200: schemas.propertyKeys },
    errors: [],
  },
  "clear-properties": {
    method: "DELETE",
    audit: unaudited.ownState,
    path: "/properties",
    auth: "user",
    summary: "Remove all properties",
    responses: { 200: null },
    errors: [],
  },
  "list-properties": {
    method: "GET",
    path: "/properties-values",
    auth: "user",
    summary: "List all properties with their values",
    responses: { 200: schemas.propertyValues },
    errors: [],
  },
});
