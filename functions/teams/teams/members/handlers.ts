import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { getMember } from "./get-member.ts";
import { toMemberView } from "./member-view.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-team-member": async ({ actor, params }) => {
      const { viewer, member } = await getMember(
        deps,
        { teamId: params.tid, userId: params.uid },
        actor.userId,
      );
      return { body: toMemberView(member, viewer) };
    },
  };
}
