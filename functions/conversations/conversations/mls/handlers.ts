import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { getGroupInfo } from "./get-group-info.ts";
import { resetGroup } from "./reset-group.ts";
import type { routes } from "./routes.ts";
import { type Committed, sendCommit } from "./send-commit.ts";
import { sendMlsMessage } from "./send-mls-message.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "mls-commit-bundle": async ({ actor, body }) =>
      toReply(await sendCommit(deps, { actor, bytes: Buffer.from(body) })),
    "mls-message": async ({ actor, body }) =>
      toReply({ events: [], time: await sendMlsMessage(deps, { actor, bytes: Buffer.from(body) }) }),
    "mls-reset-conversation": async ({ actor, body }) => {
      await resetGroup(deps, { actor, groupId: body.group_id, epoch: body.epoch });
      return {};
    },
    "get-group-info": async ({ actor: { userId }, params }) => ({
      body: await getGroupInfo(deps, { conversationId: params.cid, userId }),
    }),
  };
}

const toReply = ({ events, time }: Committed) => ({
  body: { events, time: new Date(time).toISOString() },
});
