import type { Settings } from "../product.ts";
import { statusOf } from "./render.ts";
import type { FormOf, Input, Reply, Route } from "./route.ts";

type Handler = (input: never) => Promise<Reply<Route>> | Reply<Route>;

/** Creates the handler of an older form: today's, between the form's adapters. */
export function serveOlderForm({ route, request, answer }: FormOf, handler: Handler, settings: Settings) {
  return async (input: Pick<Input<Route>, "isPrefixed">) => {
    const context = { settings, isPrefixed: input.isPrefixed };
    const reply = await handler({ ...input, ...request?.(input as never, context) } as never);
    const status = statusOf(route, reply);
    const adapt = answer?.[status];
    return adapt === undefined
      ? { ...reply, status }
      : { ...reply, status, body: adapt(reply.body as never, context) };
  };
}
