import type * as z from "zod";
import * as publicView from "#shared/devices/public-device-view.ts";
import { inOwnDomain, localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { refuseOtherDomains, toClaimedPrekeys, toOwnPrekeys, toQualifiedClaim } from "./older-claims.ts";
import * as schemas from "./schemas.ts";

/** Bytes of the device ids of all users for whom one request can claim. */
const claimBodyLimit = 256 * 1024;

const claimed =
  "Removes the prekeys, so that each is given out once. If a device has none left, you get its last-resort " +
  "prekey. So do users without a verified email address or phone number, and others who have claimed many today.";

/** A claim removes prekeys, which HEAD must not do. */
const claiming = { method: "GET", auth: "user", refusesHead: true } as const;

/** Paths that name users without domains. */
const unqualified = { until: 1, requires: [], request: inOwnDomain("uid_domain") } as const;
const ofUser = { ...unqualified, params: schemas.unqualifiedUserPath } as const;
const ofDevice = { ...unqualified, params: schemas.unqualifiedDevicePath } as const;

export const routes = defineRoutes({
  "get-user-clients-qualified": {
    method: "GET",
    path: "/users/{uid_domain}/{uid}/clients",
    auth: "user",
    allowsLegalHold: true,
    summary: "List the devices of a user",
    params: schemas.userPath,
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
    params: schemas.devicePath,
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
    body: schemas.listClients,
    responses: { 200: schemas.wrappedUserMap },
    errors: [],
    olderForms: {
      "list-clients-bulk-v0": {
        until: 1,
        body: schemas.listClientsBare,
        responses: { 200: schemas.qualifiedUserMap },
        request: ({ body }: { body: z.output<typeof schemas.listClientsBare> }) => ({
          body: { qualified_users: body },
        }),
        answer: {
          200: ({ qualified_user_map }: z.input<typeof schemas.wrappedUserMap>) => qualified_user_map,
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
    params: schemas.devicePath,
    requires: [localDomain("uid_domain")],
    responses: { 200: schemas.clientPrekey },
    errors: ["not-found", "missing-legalhold-consent", "concurrent-change"],
    olderForms: { "get-users-prekeys-client-v0": { ...ofDevice, path: "/users/{uid}/prekeys/{client}" } },
  },
  "get-users-prekey-bundle-qualified": {
    ...claiming,
    path: "/users/{uid_domain}/{uid}/prekeys",
    summary: "Claim a prekey of each device of a user",
    description: claimed,
    params: schemas.userPath,
    requires: [localDomain("uid_domain")],
    responses: { 200: schemas.prekeyBundle },
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
    body: schemas.qualifiedUserClients,
    bodyLimit: claimBodyLimit,
    responses: { 200: schemas.wrappedUserClientPrekeys },
    errors: ["too-many-clients", "missing-legalhold-consent"],
    olderForms: {
      "get-multi-user-prekey-bundle-qualified-v0": {
        until: 3,
        responses: { 200: schemas.qualifiedUserClientPrekeys },
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
