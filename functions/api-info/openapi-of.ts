import { families } from "#functions/families.ts";
import { type OpenApiDocument, writeOpenApi } from "#shared/http/openapi.ts";
import type { Settings } from "#shared/settings.ts";

const documents = new Map<number, OpenApiDocument & Record<string, unknown>>();

/** The public API document of a version, written once per container. */
export function openapiOf(
  version: number,
  { productName }: Pick<Settings, "productName">,
): OpenApiDocument & Record<string, unknown> {
  const document = documents.get(version) ?? { ...writeOpenApi(families, { version, title: productName }) };
  documents.set(version, document);
  return document;
}
