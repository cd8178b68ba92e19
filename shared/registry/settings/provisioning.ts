import * as z from "zod";
import { emailAddress, hostName } from "#shared/platform/address-types.ts";
import { seconds, tokenBucket } from "./types.ts";

/** How the service presents itself to identity providers. */
const serviceProvider = z.strictObject({
  /** Address of the web app to which users return. */
  spAppUri: z.url({ protocol: /^https?$/ }).optional(),
  /** Address of `/sso` as browsers and identity providers see it; absent: that of the public API. */
  spSsoUri: z.url({ protocol: /^https?$/ }).optional(),
  /** Contacts for administrators of identity providers. */
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
      /** Service providers by host of the request; absent: the one above answers on every host. */
      serviceProvidersByHost: z.record(hostName, serviceProvider.required({ spSsoUri: true })).optional(),
      /** Logins that one network may start; a whole company may be behind one address. */
      requestRateLimitPerIp: tokenBucket.prefault({ burst: 1000, refillSeconds: 1 }),
      /** Unusable responses that one network may send; beyond that, only responses to logins that it has begun are read. */
      badResponseRateLimitPerIp: tokenBucket.prefault({ burst: 100, refillSeconds: 10 }),
      /** How long a login may take at the identity provider. */
      requestLifetimeSecs: seconds.min(60).default(7200),
      /** Longest validity of an assertion, which is remembered until it expires. */
      maxAssertionLifetimeSecs: seconds.min(60).default(7200),
      /** Whether the login page of an identity provider may be `http` on a loopback address; for local runs. */
      allowsHttpOnLoopback: z.boolean().default(false),
      /** Identity providers of one team. */
      maxIdentityProviders: z.int().min(1).max(100).default(50),
    })
    .prefault({}),
  /** SCIM tokens of one team. All that belong to an identity provider are removed with it, in one transaction. */
  maxScimTokens: z.int().min(1).max(80).default(16),
  scim: z
    .strictObject({
      /** Address of `/scim/v2` as directories see it; absent: that of the public API. */
      baseUri: z.url({ protocol: /^https?$/ }).optional(),
      /** Whether, without an identity provider, the external id of a user must be an email address. */
      externalIdIsEmail: z.boolean().default(true),
      /** Whether, without an identity provider, users are invited by mail instead of getting an account immediately. */
      invitesUsers: z.boolean().default(false),
      /** Whether `GET /scim/v2/Users` without a filter lists the users of the directory, in pages, instead of 400 `tooMany`. */
      listsUsers: z.boolean().default(false),
      /** Fields of rich info that the schemas of SCIM list; directories can set others as well. */
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
