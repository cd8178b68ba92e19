import * as z from "zod";
import type { Route } from "#shared/platform/http/route.ts";
import type { ApiRequest } from "./api.ts";
import { protobufRequest, sampleProtobuf } from "./otr-messages.ts";
import { sampleOf, samplePath } from "./sample.ts";
import type { Target } from "./targets.ts";

/** Requests that schemas accept although their values are hard to store, to escape or to look up. */

/** The first text combines the others, for schemas that accept all of them. */
const oddTexts = [
  "\u0000\uffff#' OR 1=1 --{{7*7}}%ff__proto__",
  "\u0000",
  "\uffff",
  "#",
  "' OR 1=1 --",
  "{{7*7}}",
  "%ff",
  "__proto__",
  "[]",
];
const longestText = "x".repeat(60_000);
/** Longer values exceed what an HTTP API takes in a request line. */
const longestParameter = "x".repeat(4000);
const oddJson = ["1e400", "-1e400", "1e-400", '[{"__proto__":{}}]', "[".repeat(50) + "]".repeat(50)];

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

/** Values that a schema refuses reach no use case, so they are not sent. */
const oddTextsFor = (schema: z.ZodType, longest: string): string[] => [
  ...oddTexts.filter((text) => accepts(schema, text)).slice(0, 1),
  ...[longest].filter((text) => accepts(schema, text)),
];

const fieldsOf = (schema: z.ZodType | undefined): [name: string, schema: z.ZodType][] => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return fieldsOf(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodObject ? Object.entries(schema.shape as Record<string, z.ZodType>) : [];
};

const isForm = ({ bodyFormat }: Route) => bodyFormat === "form" || bodyFormat === "json-or-form";

/** A valid body without optional fields; none for formats of which there is no sample. */
export function sampleRequest(route: Route): ApiRequest {
  const { body, bodyFormat, protobuf } = route;
  if (body === undefined) return {};
  switch (bodyFormat) {
    case "protobuf":
      return protobufRequest(sampleProtobuf[protobuf?.message.name ?? ""]);
    case "mls":
    case "multipart-mixed":
    case "form-or-multipart":
    case "xml-or-json":
      return {};
    default:
      return requestOf(route, sampleOf(body) as object);
  }
}

const requestOf = (route: Route, fields: object): ApiRequest =>
  isForm(route)
    ? {
        body: new URLSearchParams(fields as Record<string, string>).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }
    : { json: fields };

/** A request for each field and each odd value that the field accepts. */
export function oddRequests(route: Route): ApiRequest[] {
  const fields = fieldsOf(route.body);
  if (fields.length === 0) return [];
  const sample = sampleOf(route.body as z.ZodType) as Record<string, unknown>;
  return fields.flatMap(([name, schema]) => {
    const texts = oddTextsFor(schema, longestText).map((text) =>
      requestOf(route, { ...sample, [name]: text }),
    );
    const { [name]: _, ...others } = sample;
    const rest = JSON.stringify(others).slice(1, -1);
    const values = isForm(route) ? [] : oddJson.filter((value) => accepts(schema, JSON.parse(value)));
    return [
      ...texts,
      ...values.map((value) => ({
        body: `{"${name}":${value}${rest && `,${rest}`}}`,
        headers: { "content-type": "application/json" },
      })),
    ];
  });
}

/** Queries with each odd value that a parameter accepts, and with parameters that no operation has. */
export function oddQueries(route: Route): string[] {
  const unknown =
    "&&=&%zz=%zz&%=%&%ff=%ff&%00=%00&__proto__=1&constructor.prototype.isAdmin=1&unknown=1&unknown=2&a[]=1";
  const ofParameters = fieldsOf(route.query).flatMap(([name, schema]) =>
    [
      ...oddTextsFor(schema, longestParameter),
      ...["", "0"].filter((value) => accepts(schema, value)).slice(0, 1),
    ].map((value) => `${name}=${encodeURIComponent(value)}`),
  );
  return [unknown, ...ofParameters].map((query) => `?${query}`);
}

/** Paths with each odd value that a parameter accepts, and one that cannot be decoded. */
export function oddPaths({ route, prefix }: Target): string[] {
  const parameters = fieldsOf(route.params);
  if (parameters.length === 0) return [];
  const paths = parameters.flatMap(([name, schema]) =>
    oddTextsFor(schema, longestParameter).map((text) =>
      samplePath({ ...route, path: route.path.replace(`{${name}}`, encodeURIComponent(text)) }),
    ),
  );
  return [...paths, route.path.replaceAll(/\{\w+\}/g, "%ff")].map((path) => prefix + path);
}
