import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { newAssets, profileAssets } from "#shared/accounts/profiles/profile-fields.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as types from "#shared/platform/outbound/service-types.ts";
import { noSecondFactorByDefault } from "#shared/services/second-factor-guard.ts";
import { maxTags, type Service, serviceTag } from "#shared/services/service.ts";
import { serviceId } from "../schemas.ts";

const servicePath = z.object({ sid: serviceId });

const shortText = z.string().min(1).max(128);
const fields = {
  name: shortText.meta({ description: "Name, under which bots of the service appear" }),
  summary: shortText.meta({ description: "One line about the service" }),
  description: z.string().min(1).max(1024).meta({ description: "What the service does, at length" }),
  assets: newAssets,
  tags: z
    .array(serviceTag)
    .min(1)
    .max(maxTags)
    .meta({ description: "What the directory lists the service under" }),
};
const password = accountTypes.password.meta({ description: "The current password" });
const twoAtMost = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(2);

const exampleUrl = "https://quiz.example.com";

export const newService = z
  .object({
    ...fields,
    base_url: types.newBaseUrl,
    public_key: types.newPublicKey,
    auth_token: types.authToken.optional().meta({
      description: "Bearer token with which the service recognises this backend; generated when absent",
    }),
  })
  .meta({
    id: "NewService",
    examples: [
      {
        name: "Quiz",
        summary: "Asks questions",
        description: "Asks a question whenever somebody writes the word quiz",
        base_url: exampleUrl,
        public_key: types.exampleKey,
        assets: [],
        tags: ["quiz", "games"],
      },
    ],
  });

const createdService = z
  .object({
    id: serviceId,
    auth_token: types.authToken.optional().meta({ description: "If it was generated" }),
  })
  .meta({ id: "NewServiceResponse" });

const serviceUpdate = z
  .object(fields)
  .partial()
  .meta({ id: "UpdateService", examples: [{ name: "Pub Quiz", tags: ["quiz"] }] });

const connectionUpdate = z
  .object({
    password,
    base_url: types.newBaseUrl.optional(),
    public_keys: twoAtMost(types.newPublicKey)
      .optional()
      .meta({ description: "Replace the present ones; the service may prove any of them" }),
    auth_tokens: twoAtMost(types.authToken)
      .optional()
      .meta({ description: "Replace the present ones; calls to the service carry the first" }),
    enabled: z.boolean().optional().meta({
      description: "Whether the service can be added to conversations, and gets what is sent there",
    }),
  })
  .meta({ id: "UpdateServiceConn", examples: [{ password: "correct horse battery", enabled: true }] });

const removal = z
  .object({ password })
  .meta({ id: "ProviderPassword", examples: [{ password: "correct horse battery" }] });

const serviceKey = z
  .object({
    type: z.literal("rsa"),
    size: z.int32().meta({ description: "In bits" }),
    pem: types.publicKey,
  })
  .meta({ id: "ServiceKey" });

/** A service as its provider sees it. */
const service = z
  .object({
    id: serviceId,
    name: fields.name,
    summary: z.string().meta({ description: "One line about the service" }),
    description: z.string().meta({ description: "What the service does, at length" }),
    base_url: types.baseUrl,
    auth_tokens: z
      .array(types.authToken)
      .min(1)
      .meta({ description: "Calls to the service carry the first" }),
    public_keys: z.array(serviceKey).min(1).meta({ description: "The service may prove any of them" }),
    assets: profileAssets,
    tags: z.array(serviceTag).meta({ description: "What the directory lists the service under" }),
    enabled: z.boolean().meta({ description: "Whether the service can be added to conversations" }),
  })
  .meta({ id: "Service" });

export const toView = (item: Service): z.input<typeof service> => ({
  id: item.serviceId,
  name: item.name,
  summary: item.summary,
  description: item.description,
  base_url: item.baseUrl,
  auth_tokens: item.authTokens,
  public_keys: item.keys.map(({ bits, pem }) => ({ type: "rsa", size: bits, pem })),
  assets: item.assets,
  tags: item.tags,
  enabled: item.isEnabled,
});

const ofProvider = { auth: "provider", requires: [noSecondFactorByDefault] } as const;
const one = { ...ofProvider, path: "/provider/services/{sid}", params: servicePath } as const;

export const routes = defineRoutes({
  "post-provider-services": {
    ...ofProvider,
    method: "POST",
    audit: "service.created",
    path: "/provider/services",
    summary: "Create a service",
    description: "It is not enabled, so that nobody finds it before it works.",
    body: newService,
    responses: { 201: createdService },
    errors: ["invalid-service-key", "invalid-provider", "too-many-services"],
  },
  "get-provider-services": {
    ...ofProvider,
    method: "GET",
    path: "/provider/services",
    summary: "List your services",
    responses: { 200: z.array(service) },
    errors: [],
  },
  "get-provider-services-by-service-id": {
    ...one,
    method: "GET",
    summary: "Get one of your services",
    responses: { 200: service },
    errors: ["service-not-found"],
  },
  "put-provider-services-by-service-id": {
    ...one,
    method: "PUT",
    audit: "service.changed",
    summary: "Change the profile of a service",
    description: "Absent fields stay. Bots keep the name with which they were added.",
    body: serviceUpdate,
    responses: { 200: null },
    errors: ["service-not-found"],
  },
  "put-provider-services-connection-by-service-id": {
    ...one,
    method: "PUT",
    audit: "service.changed",
    path: "/provider/services/{sid}/connection",
    summary: "Change how a service is reached, or enable or disable it",
    description:
      "Absent fields stay. With two keys and two tokens, both can be replaced without an interruption. A service that " +
      "is disabled leaves the directory and gets nothing, but its bots stay in their conversations.",
    body: connectionUpdate,
    responses: { 200: null },
    errors: ["provider-login-failed", "too-many-requests", "service-not-found", "invalid-service-key"],
  },
  "delete-provider-services-by-service-id": {
    ...one,
    method: "DELETE",
    audit: "service.deleted",
    summary: "Delete a service",
    description: "It is disabled immediately; its bots leave their conversations soon after the answer.",
    body: removal,
    responses: { 202: null },
    errors: ["provider-login-failed", "too-many-requests", "service-not-found"],
  },
});
