import type { NotificationStore } from "#shared/events/notification-store.ts";

/** Number of payloads kept: the recipients of an event are served at about the same time. */
const maxKept = 32;

/** Reads payloads that are shared by many recipients, once for those served together. */
export class SharedPayloads {
  readonly #notifications: Pick<NotificationStore, "payloads">;
  readonly #kept = new Map<string, Promise<string | undefined>>();

  constructor({ notifications }: { notifications: Pick<NotificationStore, "payloads"> }) {
    this.#notifications = notifications;
  }

  /** Texts by their ids; leaves out those that no longer exist. */
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
