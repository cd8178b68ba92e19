import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { conversationGroup } from "#shared/events/publisher.ts";
import { internalApi, outcome } from "../../support/api.ts";
import { receiveFromCells } from "../../support/cells.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

const { store } = conversationData();

const setState = (cid: string, json: unknown, internal = internalApi) =>
  internal("PUT", `/i/conversations/${cid}/cells-state`, { json });

const switchCells = ({ id }: Team, status: "enabled" | "disabled", internal = internalApi) =>
  internal("PATCH", `/i/teams/${id}/features/cells`, { json: { status, lockStatus: "unlocked" } });

describe.concurrent("PUT /i/conversations/{cid}/cells-state", () => {
  it("sets any state after any other, as long as the team has the feature", async () => {
    const team = await newTeam();
    const { id } = await newConversation([team.owner], { team });
    expect(outcome(await setState(id, "ready"))).toBe("403 invalid-op");
    await switchCells(team, "enabled");
    for (const state of ["ready", "pending", "pending", "disabled", "ready"]) {
      expect(outcome(await setState(id, state))).toBe("204");
      expect((await store.get(id))?.cellsState).toBe(state);
    }
    await switchCells(team, "disabled");
    expect(outcome(await setState(id, "pending"))).toBe("403 invalid-op");
    expect(outcome(await setState(id, "disabled"))).toBe("204");
  });

  it("accepts only `disabled` for a conversation without a team", async () => {
    const { id } = await newConversation([await newUser()]);
    for (const state of ["ready", "pending"])
      expect(outcome(await setState(id, state))).toBe("403 invalid-op");
    expect(outcome(await setState(id, "disabled"))).toBe("204");
  });

  it("refuses unknown conversations and states", async () => {
    const team = await newTeam();
    const { id } = await newConversation([team.owner], { team });
    expect(outcome(await setState(randomUUID(), "disabled"))).toBe("404 no-conversation");
    for (const state of ["on", "", 1, null, { state: "ready" }, ["ready"]])
      expect(outcome(await setState(id, state))).toBe("400 bad-request");
  });
});

describe("a conversation with Cells", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith();
  });

  it("has its members and metadata forwarded, as clients get them, unless its state is `disabled`", async () => {
    const team = await newTeam({}, stack);
    const [member, other] = await Promise.all([team.add(), team.add()]);
    await switchCells(team, "enabled", stack.internalApi);
    const [feature] = await receiveFromCells(stack, { group: team.id, count: 1 });
    expect(feature?.payload).toMatchObject([{ type: "feature-config.update" }]);

    const { id } = await conversationData(stack).newConversation([team.owner, member], {
      team,
      accessRoles: ["team_member", "non_team_member", "guest"],
    });
    const call = async (method: string, path: string, json?: object) => {
      const { token } = team.owner;
      const { status, body } = await stack.publicApi(
        method,
        `/v9/conversations/${localDomain}/${id}${path}`,
        {
          token,
          json,
        },
      );
      expect(status).toBeLessThan(300);
      return body;
    };
    await call("PUT", "/name", { name: "Before" });
    await setState(id, "ready", stack.internalApi);
    const renamed = await call("PUT", "/name", { name: "Ready" });
    await call("PUT", "/message-timer", { message_timer: 1000 });
    await call("PUT", "/receipt-mode", { receipt_mode: 1 });
    await call("PUT", "/access", { access: ["invite"], access_role: ["team_member", "non_team_member"] });
    await call("PUT", "/self", { otr_archived: true });
    await call("POST", "/typing", { status: "started" });
    await setState(id, "pending", stack.internalApi);
    const joined = await call("POST", "/members", {
      qualified_users: [{ domain: localDomain, id: other.id }],
    });
    await call("PUT", `/members/${localDomain}/${member.id}`, { conversation_role: "svc_member" });
    const left = await call("DELETE", `/members/${localDomain}/${other.id}`);
    await setState(id, "disabled", stack.internalApi);
    await call("PUT", "/name", { name: "After" });
    await setState(id, "ready", stack.internalApi);
    const last = await call("PUT", "/name", { name: "Last" });

    const messages = await receiveFromCells(stack, { group: conversationGroup(id), count: 5 });
    expect(messages.map(({ payload }) => payload)).toEqual([
      [renamed],
      [joined],
      [
        expect.objectContaining({
          type: "conversation.member-update",
          data: expect.objectContaining({ target: member.id, conversation_role: "svc_member" }),
        }),
      ],
      [left],
      [last],
    ]);
  });
});
