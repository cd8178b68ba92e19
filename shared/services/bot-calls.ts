import type { EventFields } from "#shared/events/event-view.ts";
import { WrongPeerError } from "#shared/platform/outbound/call-pinned.ts";
import { ForbiddenAddressError } from "#shared/platform/outbound/public-addresses.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { openServiceSession } from "./open-service-session.ts";
import type { Service } from "./service.ts";

/** The outcome of an attempt to deliver an event to a bot. */
export type Attempt = { readonly milliseconds: number } & (
  | { readonly outcome: "delivered" }
  /** The service does not know the bot any more. */
  | { readonly outcome: "gone" }
  /** The service answers, but does not want the event. */
  | { readonly outcome: "refused"; readonly reason: string }
  /** Another attempt may help, unless it is final. */
  | { readonly outcome: "failed"; readonly reason: string; readonly isFinal: boolean }
);

/** An answer within this time is quick; services that need longer are kept apart from the others. */
const quickMilliseconds = 1000;

export const isQuick = ({ milliseconds }: Attempt): boolean => milliseconds <= quickMilliseconds;

/** Time limit of one attempt. */
const timeoutMilliseconds = 5000;

/** Calls of bots' services, which strangers operate. */
export class BotCalls {
  readonly #settings: Settings;

  constructor({ settings }: { readonly settings: Settings }) {
    this.#settings = settings;
  }

  /** Make one attempt to deliver an event to a bot. Never fails. */
  async deliver(service: Service, botId: string, event: EventFields): Promise<Attempt> {
    const startedAt = performance.now();
    const session = openServiceSession(service, this.#settings, {
      timeoutMilliseconds,
      attempts: 1,
    });
    const since = () => Math.round(performance.now() - startedAt);
    try {
      const { status } = await session.send({ path: `/bots/${botId}/messages`, json: event });
      const milliseconds = since();
      if (status >= 200 && status < 300) return { outcome: "delivered", milliseconds };
      if (status === 410) return { outcome: "gone", milliseconds };
      const reason = `status ${status}`;
      if (status < 500) return { outcome: "refused", reason, milliseconds };
      return { outcome: "failed", reason, isFinal: false, milliseconds };
    } catch (error) {
      const isFinal = error instanceof WrongPeerError || error instanceof ForbiddenAddressError;
      return { outcome: "failed", reason: String(error), isFinal, milliseconds: since() };
    }
  }
}
