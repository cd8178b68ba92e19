import { allocatedId } from "#shared/conversations/legal-hold/allocated-device.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { announceRequest } from "./announce-request.ts";
import { approveDevice } from "./approve-device.ts";
import { endLegalHold } from "./end-legal-hold.ts";
import { getStatus } from "./get-status.ts";
import { giveConsent } from "./give-consent.ts";
import { removeDevice } from "./remove-device.ts";
import { requestDevice } from "./request-device.ts";
import type { routes } from "./routes.ts";
import { settleNow } from "./settle-now.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-legal-hold": async ({ params }) => {
      const { status, keys } = await getStatus(deps, { teamId: params.tid, userId: params.uid });
      const device = keys && { last_prekey: keys.lastPrekey, client: { id: allocatedId(keys) } };
      return { body: { status, ...device } };
    },

    "consent-to-legal-hold": async ({ actor, params }) => {
      const isNew = await giveConsent(deps, { teamId: params.tid, userId: actor.userId });
      return { status: isNew ? 201 : 204 };
    },

    "request-legal-hold-device": async ({ actor, params }) => {
      const isFirst = await requestDevice(deps, actor, { teamId: params.tid, userId: params.uid });
      return { status: isFirst ? 201 : 204 };
    },

    "approve-legal-hold-device": async ({ actor, params, body: { password } }) => {
      const membership = { teamId: params.tid, userId: params.uid };
      await approveDevice(deps, actor, { ...membership, password });
      await settleNow(deps, membership);
      return {};
    },

    "disable-legal-hold-for-user": async ({ actor, params, body: { password } }) => {
      const membership = { teamId: params.tid, userId: params.uid };
      const hasEnded = await endLegalHold(deps, actor, { ...membership, password });
      if (hasEnded) await settleNow(deps, membership);
      return { status: hasEnded ? 200 : 204 };
    },

    "i-request-legal-hold-client": async ({ params, body }) => {
      await announceRequest(deps, params.uid, body.last_prekey);
      return {};
    },

    "i-remove-legal-hold-client": async ({ params }) => {
      await removeDevice(deps, params.uid);
      return {};
    },
  };
}
