import * as z from "zod";
import { prekeyItem } from "#shared/devices/prekey.ts";
import * as publicView from "#shared/devices/public-device-view.ts";
import { pubClientList, userClientPrekeys, userClients } from "#shared/devices/public-device-view.ts";
import { deviceId } from "#shared/platform/http/device-id.ts";
import { checkLocalDomain, inOwnDomain, localDomain } from "#shared/platform/http/local-domain.ts";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";

const clientId = deviceId.meta({ description: "Id of a device" });

const userPath = z.object({ uid_domain: wire.domain, uid: wire.userId });
const devicePath = userPath.extend({ client: clientId });

const unqualifiedUserPath = userPath.omit({ uid_domain: true });
const unqualifiedDevicePath = devicePath.omit({ uid_domain: true });

const qualifiedUsers = z.array(wire.qualifiedId).min(1).max(500);
const exampleUser = "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60";
const exampleDevice = "b420f65ee6e567f8";
export const listClients = z.object({ qualified_users: qualifiedUsers }).meta({
  id: "ListClients",
  examples: [{ qualified_users: [{ domain: "parley.localhost", id: exampleUser }] }],
});
const listClientsBare = qualifiedUsers.meta({
  examples: [[{ domain: "parley.localhost", id: exampleUser }]],
});

const clientsByUser = z.record(z.uuid(), pubClientList);
const qualifiedUserMap = z
  .record(z.string(), clientsByUser)
  .meta({ description: "Devices by domain and user id; unknown users have none" });
const wrappedUserMap = z.object({ qualified_user_map: qualifiedUserMap }).meta({ id: "QualifiedUserMap" });

export const clientPrekey = z
  .object({ client: z.string().meta({ description: "Id of the device" }), prekey: prekeyItem })
  .meta({ id: "ClientPrekey" });
const prekeyBundle = z
  .object({
    user: z.uuid(),
    clients: z.array(clientPrekey).meta({ description: "One prekey of each device that has any" }),
  })
  .meta({ id: "PrekeyBundle" });

export const qualifiedUserClients = z.record(z.string(), userClients).meta({
  id: "QualifiedUserClients",
  description: "Device ids by domain and user id",
  examples: [{ "parley.localhost": { [exampleUser]: [exampleDevice] } }],
});

const qualifiedUserClientPrekeys = z.record(z.string(), userClientPrekeys);
const wrappedUserClientPrekeys = z
  .object({
    qualified_user_client_prekeys: qualifiedUserClientPrekeys,
    failed_to_list: z
      .array(wire.qualifiedId)
      .optional()
      .meta({ description: "Users of other domains, which cannot be reached" }),
  })
  .meta({ id: "QualifiedUserClientPrekeyMapV4" });

interface Claim<Body extends z.ZodType> {
  readonly body: z.output<Body>;
}

type Claimed = z.input<typeof wrappedUserClientPrekeys>;

/** Refuses a claim for users of another domain. From version 4, such users are reported as failed. */
function refuseOtherDomains({ body }: Claim<typeof qualifiedUserClients>, { settings }: FormContext) {
  for (const domain of Object.keys(body)) checkLocalDomain(domain, settings);
  return {};
}

/** Shows the prekeys alone. */
const toClaimedPrekeys = (claimed: Claimed) => claimed.qualified_user_client_prekeys;

/** Reads a claim that names users without domains. */
const toQualifiedClaim = ({ body }: Claim<typeof userClients>, { settings }: FormContext) => ({
  body: { [settings.domain]: body },
});

/** Shows the prekeys by user ids without domains. */
const toOwnPrekeys = (claimed: Claimed, { settings }: FormContext) =>
  toClaimedPrekeys(claimed)[settings.domain] ?? {};

/** Bytes of the device ids of all users for whom one request can claim. */
const claimBodyLimit = 256 * 1024;

const claimed =
  "Removes the prekeys, so that each is given out once. If a device has none left, you get its last-resort " +
  "prekey. So do users without a verified email address or phone number, and others who have claimed many today.";

/** A claim removes prekeys, which HEAD must not do. */
const claiming = { method: "GET", auth: "user", refusesHead: true } as const;

/** Paths that name users without domains. */
const unqualified = { until: 1, requires: [], request: inOwnDomain("uid_domain") } as const;
const ofUser = { ...unqualified, params: unqualifiedUserPath } as const;
const ofDevice = { ...unqualified, params: unqualifiedDevicePath } as const;

export const routes = defineRoutes({
  "get-user-clients-qualified": {
    method: "GET",
    path: "/users/{uid_domain}/{uid}/clients",
    auth: "user",
    allowsLegalHold: true,
    summary: "List the devices of a user",
    params: userPath,
    requires: [localDomain("uid_domain")],
    responses: { 200: publicView.pubClientList },
    errors: [],
    olderForms: { "get-user-clients-v0": { ...ofUser, path: "/users/{uid}/clients" } },
  },
  "get-user-client-qualified": {
    method: "GET",
    path: "/users/{uid_domain}/{uid}/clients/{client}",
    auth: "user",
    allowsLegalHold: true,
    summary: "Get a device of a user",
    params: devicePath,
    requires: [localDomain("uid_domain")],
    responses: { 200: publicView.pubClient, 404: null },
    errors: [],
    olderForms: { "get-user-client-v0": { ...ofDevice, path: "/users/{uid}/clients/{client}" } },
  },
  "list-clients-bulk@v2": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.reading,
    path: "/users/list-clients",
    since: 2,
    auth: "user",
    allowsLegalHold: true,
    summary: "List the devices of several users",
    body: listClients,
    responses: { 200: wrappedUserMap },
    errors: [],
    olderForms: {
      "list-clients-bulk-v0": {
        until: 1,
        body: listClientsBare,
        responses: { 200: qualifiedUserMap },
        request: ({ body }: { body: z.output<typeof listClientsBare> }) => ({
          body: { qualified_users: body },
        }),
        answer: {
          200: ({ qualified_user_map }: z.input<typeof wrappedUserMap>) => qualified_user_map,
        },
      },
      "list-clients-bulk-v2": {
        until: 1,
        path: "/users/list-clients/v2",
        description: "As `list-clients-bulk@v2`.",
      },
    },
  },
  "get-users-prekeys-client-qualified": {
    ...claiming,
    path: "/users/{uid_domain}/{uid}/prekeys/{client}",
    summary: "Claim a prekey of a device",
    description: claimed,
    params: devicePath,
    requires: [localDomain("uid_domain")],
    responses: { 200: clientPrekey },
    errors: ["not-found", "missing-legalhold-consent", "concurrent-change"],
    olderForms: { "get-users-prekeys-client-v0": { ...ofDevice, path: "/users/{uid}/prekeys/{client}" } },
  },
  "get-users-prekey-bundle-qualified": {
    ...claiming,
    path: "/users/{uid_domain}/{uid}/prekeys",
    summary: "Claim a prekey of each device of a user",
    description: claimed,
    params: userPath,
    requires: [localDomain("uid_domain")],
    responses: { 200: prekeyBundle },
    errors: ["missing-legalhold-consent", "concurrent-change"],
    olderForms: { "get-users-prekey-bundle-v0": { ...ofUser, path: "/users/{uid}/prekeys" } },
  },
  "get-multi-user-prekey-bundle-qualified": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.keys,
    path: "/users/list-prekeys",
    since: 4,
    auth: "user",
    summary: "Claim a prekey of each of several devices",
    description: claimed,
    body: qualifiedUserClients,
    bodyLimit: claimBodyLimit,
    responses: { 200: wrappedUserClientPrekeys },
    errors: ["too-many-clients", "missing-legalhold-consent"],
    olderForms: {
      "get-multi-user-prekey-bundle-qualified-v0": {
        until: 3,
        responses: { 200: qualifiedUserClientPrekeys },
        errors: ["federation-not-enabled", "too-many-clients", "missing-legalhold-consent"],
        request: refuseOtherDomains,
        answer: { 200: toClaimedPrekeys },
      },
      "get-multi-user-prekey-bundle-unqualified-v0": {
        until: 1,
        path: "/users/prekeys",
        body: publicView.userClients,
        responses: { 200: publicView.userClientPrekeys },
        request: toQualifiedClaim,
        answer: { 200: toOwnPrekeys },
      },
    },
  },
});
