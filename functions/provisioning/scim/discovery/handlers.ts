import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { scimLocation } from "../location.ts";
import { maxPerPage, schemaUrns } from "../schemas.ts";
import { toScimList } from "../scim-list.ts";
import type { SchemaDocument } from "./documents/attribute.ts";
import { resourceTypes, schemaDocuments } from "./documents/documents.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;
  const metaOf = (resourceType: string, path: string) => ({
    resourceType,
    location: scimLocation(deps, path),
  });
  const toSchema = (document: SchemaDocument) => ({
    schemas: [schemaUrns.schema],
    ...document,
    meta: metaOf("Schema", `/Schemas/${document.id}`),
  });
  const toResourceType = (type: ReturnType<typeof resourceTypes>[number]) => ({
    schemas: [schemaUrns.resourceType],
    ...type,
    meta: metaOf("ResourceType", `/ResourceTypes/${type.id}`),
  });

  return {
    "scim-search": () => {
      throw new ApiError("scim-not-implemented");
    },

    "scim-get-service-provider-config": () => ({
      body: {
        schemas: [schemaUrns.serviceProviderConfig],
        patch: { supported: true },
        bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
        filter: { supported: true, maxResults: maxPerPage },
        changePassword: { supported: false },
        sort: { supported: false },
        etag: { supported: false },
        authenticationSchemes: [
          {
            type: "oauthbearertoken",
            name: "Bearer token",
            description: "A token that an owner of the team has created for the directory",
            specUri: "https://www.rfc-editor.org/info/rfc6750",
            primary: true,
          },
        ],
        meta: metaOf("ServiceProviderConfig", "/ServiceProviderConfig"),
      },
    }),

    "scim-list-schemas": () => ({ body: toScimList(schemaDocuments(settings).map(toSchema)) }),

    "scim-get-schema": ({ params }) => {
      const found = schemaDocuments(settings).find(({ id }) => id === params.id);
      if (found === undefined) throw new ApiError("scim-not-found");
      return { body: toSchema(found) };
    },

    "scim-list-resource-types": () => ({ body: toScimList(resourceTypes(settings).map(toResourceType)) }),

    "scim-get-resource-type": ({ params }) => {
      const found = resourceTypes(settings).find(({ id }) => id === params.id);
      if (found === undefined) throw new ApiError("scim-not-found");
      return { body: toResourceType(found) };
    },
  };
}
