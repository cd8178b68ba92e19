import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { newAssets, profileAssets } from "#shared/accounts/profiles/profile-fields.ts";
import * as types from "#shared/platform/outbound/service-types.ts";
import type { Service } from "#shared/services/service.ts";
import { maxTags, serviceTag } from "#shared/services/service-tags.ts";
import { serviceId } from "../schemas.ts";

export const servicePath = z.object({ sid: serviceId });

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

export const createdService = z
  .object({
    id: serviceId,
    auth_token: types.authToken.optional().meta({ description: "If it was generated" }),
  })
  .meta({ id: "NewServiceResponse" });

export const serviceUpdate = z
  .object(fields)
  .partial()
  .meta({ id: "UpdateService", examples: [{ name: "Pub Quiz", tags: ["quiz"] }] });

export const connectionUpdate = z
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

export const removal = z
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
export const service = z
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
