import * as z from "zod";
import { EventPublisher } from "#shared/events/publisher.ts";
import { type EndpointRelease, endpointRelease } from "#shared/events/push/endpoint-release.ts";
import { isInUse } from "#shared/events/push/is-in-use.ts";
import { type PushEndpoint, PushEndpointStore } from "#shared/events/push/push-endpoint-store.ts";
import { PushProvider } from "#shared/events/push/push-provider.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { revokeEndpoint } from "#shared/events/push/remove-push-tokens.ts";
import { retryStale, transact } from "#shared/platform/data/conditions.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

/** Handle messages from the queue `push-endpoints`: users who leave an endpoint, and reports of SNS about endpoints. */
export function createHandler(deps: Deps) {
  const { clock, log, outboxWorker, provider, settings } = deps;

  const handle = ({ payload }: OutboxItem) => releaseEndpoint(deps, endpointRelease.parse(payload));

  async function takeEvent(content: unknown): Promise<boolean> {
    const event = endpointEvent.safeParse(content).data;
    if (event === undefined) return false;
    const { EndpointArn: endpointArn, EventType, FailureType, Time = "" } = event;
    const notice = { endpointArn, noticedAt: Date.parse(Time) || clock() };
    const verdict = verdictOf(event);
    if (verdict === "nothing" || !isInUse(settings, endpointArn)) return true;
    log.info("endpoint-event", { eventType: EventType, failureType: FailureType });
    if (verdict === "gone") await revokeEndpoint(deps, notice);
    else await checkEndpoint(notice);
    return true;
  }

  /** The provider may have disabled the endpoint, or replaced its token by another. */
  async function checkEndpoint(notice: { endpointArn: string; noticedAt: number }): Promise<void> {
    const usable = await provider.usableToken(notice.endpointArn);
    await revokeEndpoint(deps, notice, ({ token }) => token !== usable);
  }

  return createLeasedWorker(outboxWorker, handle, {
    ...deps,
    queue: "push-endpoints",
    handleDirect: takeEvent,
  });
}

/** A report of SNS about an endpoint of a platform application. */
const endpointEvent = z.object({
  EventType: z.string(),
  EndpointArn: z.string(),
  FailureType: z.string().optional(),
  /** ISO 8601 */
  Time: z.string().optional(),
});
type EndpointEvent = z.infer<typeof endpointEvent>;

/** Failures after which no push to the endpoint can succeed. */
const finalFailures = new Set(["InvalidPlatformToken", "DeliveryFailedPerm", "EndpointNotFound"]);

/**
 * The meaning of an event for the tokens of an endpoint: they are useless, or the endpoint must be checked. SNS reports
 * our own changes, too.
 */
function verdictOf({ EventType, FailureType = "" }: EndpointEvent): "gone" | "changed" | "nothing" {
  if (EventType === "EndpointDeleted") return "gone";
  if (EventType === "EndpointUpdated") return "changed";
  if (EventType !== "DeliveryFailure") return "nothing";
  if (finalFailures.has(FailureType)) return "gone";
  return FailureType === "EndpointDisabled" ? "changed" : "nothing";
}

/**
 * Remove a user from an endpoint, and delete the endpoint with its last user. Does nothing when the user has registered
 * the token again meanwhile. Leaves endpoints of apps that are no longer in the settings to SNS. Safe to repeat.
 */
async function releaseEndpoint(deps: Deps, release: EndpointRelease): Promise<void> {
  const claimed = await retryStale(() => leave(deps, release));
  if (claimed === undefined) return;
  const { endpointArn } = claimed;
  if (isInUse(deps.settings, endpointArn)) await deps.provider.deleteEndpoint(endpointArn);
  await deps.pushEndpoints.remove(claimed);
}

/** @returns the endpoint, which is now claimed, if nobody uses it any more */
async function leave(
  { dynamo, pushEndpoints, pushTokens }: Deps,
  { userId, endpointArn }: EndpointRelease,
): Promise<PushEndpoint | undefined> {
  const endpoint = await pushEndpoints.get(endpointArn);
  if (endpoint.revision === 0) return undefined;
  // Read after the endpoint, because registering the token from here on also changes the endpoint.
  const { tokens } = await pushTokens.get(userId);
  if (tokens.some((token) => token.endpointArn === endpointArn)) return undefined;
  const others = endpoint.userIds.filter((otherId) => otherId !== userId);
  if (others.length === 0) return pushEndpoints.claimForDeletion(endpoint);
  if (others.length < endpoint.userIds.length) await transact(dynamo, [pushEndpoints.put(endpoint, others)]);
  return undefined;
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  events: EventPublisher,
  outboxWorker: OutboxWorker,
  provider: PushProvider,
  pushEndpoints: PushEndpointStore,
  pushTokens: PushTokenStore,
});
