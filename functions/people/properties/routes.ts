import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";

const key = z.string().regex(/^[ -~]+$/, "printable ASCII is needed");

const propertyPath = z.object({
  key: key.meta({ format: "printable", description: "Printable ASCII, at most 1024 characters" }),
});

/** Any JSON, exactly as it was sent. */
const propertyText = z
  .custom<string>((text) => typeof text === "string", "JSON is needed")
  .meta({ description: "Any JSON value", examples: [{ theme: "dark" }] });

const propertyValue = z.unknown().meta({ id: "PropertyValue", description: "Any JSON value" });

const propertyKeys = z.array(z.string().meta({ id: "ASCII" }));

/** Not a zod record, which would drop a key `__proto__`. */
const propertyValues = z
  .custom<Readonly<Record<string, unknown>>>((values) => typeof values === "object" && values !== null)
  .meta({ id: "PropertyKeysAndValues", type: "object" });

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
    params: propertyPath,
    body: propertyText,
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
    params: propertyPath,
    responses: { 200: propertyValue, 404: null },
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
    params: propertyPath,
    responses: { 200: null },
    errors: [],
  },
  "list-property-keys": {
    method: "GET",
    path: "/properties",
    auth: "user",
    summary: "List the keys of all properties",
    responses: { 200: propertyKeys },
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
    responses: { 200: propertyValues },
    errors: [],
  },
});
