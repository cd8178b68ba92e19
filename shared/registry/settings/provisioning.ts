import * as z from "zod";
import { emailAddress, hostName } from "#shared/platform/address-types.ts";
import { seconds, tokenBucket } from "./types.ts";

/** How the service presents itself to identity providers. */
const serviceProvider = z.strictObject({
  /** Web app to which users return. */
  spAppUri: z.url({ protocol: /^https?$/ }).optional(),
  /** Address of `/sso`, by default at the public API. */
  spSsoUri: z.url({ protocol: /^https?$/ }).optional(),
  /** Contacts in the metadata. */
  contacts: z
    .array(
      z.strictObject({
        type: z.enum(["technical", "support", "administrative", "billing", "other"]),
        company: z.string().optional(),
        givenName: z.string().optional(),
        surname: z.string().optional(),
        email: emailAddress.optional(),
        phone: z.string().optional(),
      }),
    )
    .default([]),
});

/** Settings of single sign-on and of provisioning by SCIM. */
export const provisioningSettings = {
  saml: z
    .strictObject({
      serviceProvider: serviceProvider.prefault({}),
      /** Service providers by host of the request. Absent: the one above answers on every host. */
      serviceProvidersByHost: z.record(hostName, serviceProvider.required({ spSsoUri: true })).optional(),
      /** Logins that one network may start. A whole company may be behind one address. */
      requestRateLimitPerIp: tokenBucket.prefault({ burst: 1000, refillSeconds: 1 }),
      /** Unusable responses of one network. Beyond that, only responses to logins that it has begun are read. */
      badResponseRateLimitPerIp: tokenBucket.prefault({ burst: 100, refillSeconds: 10 }),
      /** How long a login may take at the identity provider. */
      requestLifetimeSecs: seconds.min(60).default(7200),
      /** Longest validity of an assertion. It is remembered until it expires. */
      maxAssertionLifetimeSecs: seconds.min(60).default(7200),
      /** Allows identity providers on loopback, for local runs. */
      allowsHttpOnLoopback: z.boolean().default(false),
      /** Identity providers of one team. */
      maxIdentityProviders: z.int().min(1).max(100).default(50),
    })
    .prefault({}),
  /** SCIM tokens of one team. All that belong to an identity provider are removed with it, in one transaction. */
  maxScimTokens: z.int().min(1).max(80).default(16),
  scim: z
    .strictObject({
      /** Address of `/scim/v2`, by default at the public API. */
      baseUri: z.url({ protocol: /^https?$/ }).optional(),
      /** Without an identity provider, external ids must be email addresses. */
      externalIdIsEmail: z.boolean().default(true),
      /** Without an identity provider, invites users by mail. */
      invitesUsers: z.boolean().default(false),
      /** Lets directories list users without a filter. Otherwise `GET /scim/v2/Users` answers 400 `tooMany`. */
      listsUsers: z.boolean().default(false),
      /** Fields of rich info in SCIM schemas. Directories can set others as well. */
      richInfoFields: z
        .array(z.string().regex(/^[a-z][\w-]*$/i))
        .max(100)
        .default([]),
      /** Groups of one team. */
      maxGroups: z.int().min(1).max(5000).default(1000),
      /** Members of one group. */
      maxGroupMembers: z.int().min(1).max(5000).default(2000),
    })
    .prefault({}),
};
