import { internalOpenapi, openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import type { OpenApiDocument } from "#shared/platform/http/openapi.ts";
import { allVersions } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** A body as the page with the API document fills it in. */
interface BodyExample {
  readonly operationId: string;
  readonly type: string;
  readonly example: unknown;
}

function examplesIn({ paths, components }: OpenApiDocument): BodyExample[] {
  const exampleOf = ({ $ref, anyOf, examples }: Schema): unknown => {
    if ($ref !== undefined) return exampleOf(components.schemas[$ref.replace(/.*\//, "")] as Schema);
    return examples?.[0] ?? (anyOf?.[0] && exampleOf(anyOf[0]));
  };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods) as Operation[])
    .flatMap(({ operationId, requestBody }) => {
      const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
      return type && content ? [{ operationId, type, example: exampleOf(content.schema) }] : [];
    });
}

/** The examples of all operations that have a body, in all versions. */
export function bodyExamples(): readonly BodyExample[] {
  const settings = parseSettings({});
  const documents = [
    ...allVersions.map((version) => openapiOf(version, settings)),
    internalOpenapi(settings),
  ];
  const all = documents.flatMap(examplesIn);
  return [...new Map(all.map((example) => [example.operationId, example])).values()];
}
