import type { APIGatewayProxyWebsocketEventV2 } from "aws-lambda";
import { expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { recordedLog } from "../../../test/support/recorded-log.ts";
import type { Deps } from "./deps.ts";
import { createHandler } from "./handler.ts";

const requestContext = { connectionId: "connection", requestId: "request", routeKey: "$disconnect" };

/** Closes a socket whose record cannot be read for the given reason. */
async function close(reason: Error) {
  const { log, metrics } = recordedLog();
  const sockets = { get: () => Promise.reject(reason) };
  const handle = createHandler({ log, sockets } as unknown as Deps);
  return { answer: await handle({ requestContext } as APIGatewayProxyWebsocketEventV2), metrics };
}

it("the handler counts a failure that it answers itself, because the run ends without an error", async () => {
  const { answer, metrics } = await close(new Error("The table is out of reach"));
  expect(answer).toEqual({ statusCode: 500 });
  expect(metrics).toMatchObject([{ audience: "public", FailedSocketRequests: 1 }]);
});

it("the handler does not count a refusal", async () => {
  const { answer, metrics } = await close(new ApiError("unauthenticated"));
  expect(answer).toEqual({ statusCode: 401 });
  expect(metrics).toEqual([]);
});
