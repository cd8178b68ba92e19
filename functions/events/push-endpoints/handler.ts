import { endpointRelease } from "#shared/events/push/endpoint-release.ts";
import { isInUse } from "#shared/events/push/is-in-use.ts";
import { revokeEndpoint } from "#shared/events/push/revoke-endpoint.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import type { Deps } from "./deps.ts";
import { endpointEvent, verdictOf } from "./endpoint-event.ts";
import { releaseEndpoint } from "./release-endpoint.ts";

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
