import type { NotificationStore } from "#shared/events/notification-store.ts";

/** Payloads that are kept: recipients of one event are posted to at about the same time. */
const maxKept = 32;

/** Reads what is stored once for many recipients, once for those that are posted to together. */
export class SharedPayloads {
  readonly #notifications: Pick<NotificationStore, "payloads">;
  readonly #kept = new Map<string, Promise<string | undefined>>();

  constructor({ notifications }: { notifications: Pick<NotificationStore, "payloads"> }) {
    this.#notifications = notifications;
  }

  /** Texts that are stored under ids; those that are gone are left out. */
  async read(ids: readonly string[]): Promise<Map<string, string>> {
    const missing = ids.filter((id) => !this.#kept.has(id));
    const reading = this.#notifications.payloads(missing);
    for (const id of missing) {
      this.#kept.set(
        id,
        reading.then((texts) => texts.get(id)),
      );
    }
    const wanted = ids.map((id) => this.#kept.get(id));
    for (const id of [...this.#kept.keys()].slice(0, -maxKept)) this.#kept.delete(id);
    try {
      const texts = await Promise.all(wanted);
      return new Map(ids.flatMap((id, index) => (texts[index] === undefined ? [] : [[id, texts[index]]])));
    } catch (error) {
      for (const id of ids) this.#kept.delete(id);
      throw error;
    }
  }
}
