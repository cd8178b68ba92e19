import type * as z from "zod";
import * as deviceViews from "#shared/devices/device-view.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import * as schemas from "./schemas.ts";

const nonce = {
  path: "/clients/{client}/nonce",
  auth: "user",
  summary: "Get a nonce for the next DPoP proof",
  description: "Valid for 5 minutes and one proof.",
  responseHeaders: { "Replay-Nonce": "The nonce" },
  params: schemas.devicePath,
  errors: [],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "add-client": {
    costs: uncharged.itself,
    method: "POST",
    audit: "device.added",
    path: "/clients",
    since: 7,
    auth: "user",
    summary: "Add a device",
    description:
      "The device id is derived from `lastkey`: sending the same `lastkey` registers the same device again. A " +
      "user can have 7 permanent devices. Other users claim its prekeys to write to it; add more with " +
      "`update-client`.",
    responseHeaders: { Location: "Id of the device" },
    body: schemas.newDevice,
    responses: { 201: deviceViews.deviceView },
    errors: [
      "legal-hold-device",
      "code-authentication-required",
      "code-authentication-failed",
      "missing-auth",
      "invalid-credentials",
      "suspended",
      "pending-activation",
      "login-budget-exhausted",
      "too-many-clients",
      "not-found",
      "too-many-requests",
    ],
    olderForms: {
      "add-client-v0": {
        until: 6,
        responses: { 201: deviceViews.nestedDeviceView },
        answer: { 201: deviceViews.withNestedCapabilities },
      },
    },
  },
  "list-clients": {
    method: "GET",
    path: "/clients",
    since: 7,
    auth: "user",
    summary: "List your devices, oldest first",
    responses: { 200: schemas.deviceList },
    errors: [],
    olderForms: {
      "list-clients-v0": {
        until: 6,
        responses: { 200: schemas.nestedDeviceList },
        answer: {
          200: (list: z.input<typeof schemas.deviceList>) => list.map(deviceViews.withNestedCapabilities),
        },
      },
    },
  },
  "get-client": {
    method: "GET",
    path: "/clients/{client}",
    since: 7,
    auth: "user",
    summary: "Get one of your devices",
    params: schemas.devicePath,
    responses: { 200: deviceViews.deviceView, 404: null },
    errors: [],
    olderForms: {
      "get-client-v0": {
        until: 6,
        responses: { 200: deviceViews.nestedDeviceView, 404: null },
        answer: { 200: deviceViews.withNestedCapabilities },
      },
    },
  },
  "update-client": {
    method: "PUT",
    audit: "device.changed",
    path: "/clients/{client}",
    auth: "user",
    summary: "Change a device or add prekeys to it",
    description: "The key of a signature scheme cannot be replaced.",
    params: schemas.devicePath,
    body: schemas.updateDevice,
    responses: { 200: null },
    errors: [
      "client-not-found",
      "legal-hold-device",
      "client-capabilities-cannot-be-removed",
      "mls-duplicate-public-key",
    ],
  },
  "delete-client": {
    method: "DELETE",
    audit: "device.removed",
    path: "/clients/{client}",
    auth: "user",
    summary: "Remove a device",
    description:
      "Removes its keys and revokes the cookies with its label. Unless the device is temporary, the " +
      "password is required, if the account has one.",
    params: schemas.devicePath,
    body: schemas.deleteDevice,
    responses: { 200: null },
    errors: [
      "legal-hold-device",
      "client-not-found",
      "missing-auth",
      "invalid-credentials",
      "suspended",
      "pending-activation",
      "login-budget-exhausted",
      "too-many-requests",
    ],
  },
  "i-delete-client": {
    method: "DELETE",
    audit: "device.removed",
    path: "/i/users/{uid}/clients/{client}",
    auth: "internal",
    summary: "Remove a device of a user",
    description:
      "As `delete-client`, but without the password. A legal hold device is removed by `i-remove-legal-hold-client`.",
    params: schemas.devicePathOfUser,
    responses: { 200: null },
    errors: ["legal-hold-device", "client-not-found"],
  },
  "get-client-capabilities": {
    method: "GET",
    path: "/clients/{client}/capabilities",
    since: 7,
    auth: "user",
    summary: "Get the capabilities of one of your devices",
    params: schemas.devicePath,
    responses: { 200: deviceViews.capabilityList },
    errors: ["client-not-found"],
    olderForms: {
      "get-client-capabilities-v0": {
        until: 6,
        responses: { 200: deviceViews.nestedCapabilities },
        answer: { 200: (capabilities: z.input<typeof deviceViews.capabilityList>) => ({ capabilities }) },
      },
    },
  },
  "get-client-prekeys": {
    method: "GET",
    path: "/clients/{client}/prekeys",
    auth: "user",
    summary: "List the ids of a device's remaining prekeys",
    description:
      "65535, the last-resort prekey, is always among them. Upload more before it is the only one left.",
    params: schemas.devicePath,
    responses: { 200: schemas.prekeyIds },
    errors: [],
  },
  "get-nonce": { ...nonce, method: "GET", responses: { 204: null } },
  "head-nonce": { ...nonce, method: "HEAD", responses: { 200: null } },
  "create-access-token": {
    costs: uncharged.bounded,
    method: "POST",
    audit: unaudited.renewal,
    path: "/clients/{client}/access-token",
    auth: "user",
    summary: "Create a token that proves to a certificate authority whose device this is",
    description: "Only for team members with a handle.",
    params: schemas.devicePath,
    headers: schemas.dpopHeaders,
    responses: { 200: schemas.dpopAccessToken },
    errors: [
      "client-token-parse-error",
      "client-token-bad-nonce",
      "client-token-bad-signature",
      "client-token-bad-client-id",
      "client-token-bad-method",
      "client-token-bad-uri",
      "client-token-bad-time",
      "missing-handle",
      "not-a-team-user",
      "client-not-found",
      "no-server-key-bundle",
    ],
  },
});
