import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type App, appItem } from "./app.ts";

/** Key of an app in the table, for reads together with other items. */
export const appKey = (appId: string) => ({ owner: `client#${appId}`, entry: "client" });

/** Third-party apps. Access pattern: by id, one or several. */
export class AppStore {
  readonly #table: Table<"oauth">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "oauth");
  }

  async get(appId: string): Promise<App | undefined> {
    const item = await this.#table.get(appKey(appId));
    return item && appItem.parse(item);
  }

  /** Apps by id, in any order; unknown ids are left out. */
  async getMany(appIds: readonly string[]): Promise<App[]> {
    const items = await this.#table.getMany([...new Set(appIds)].map(appKey));
    return items.map((item) => appItem.parse(item));
  }

  async create(app: App): Promise<void> {
    await this.#table.put({ ...appKey(app.clientId), ...app });
  }

  /** Change the name and redirect URL. @returns the app after the change, undefined when there is no such app */
  async describe(
    appId: string,
    { applicationName, redirectUrl }: Pick<App, "applicationName" | "redirectUrl">,
  ): Promise<App | undefined> {
    const item = await this.#table.updateOnce(appKey(appId), {
      UpdateExpression: "SET applicationName = :name, redirectUrl = :url",
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeValues: { ":name": applicationName, ":url": redirectUrl },
    });
    return item && appItem.parse(item);
  }

  /** @returns the app after the change, undefined when its newest secret is no longer the one that was read */
  async replaceSecrets(read: App, secrets: App["secrets"]): Promise<App | undefined> {
    const item = await this.#table.updateOnce(appKey(read.clientId), {
      UpdateExpression: "SET secrets = :secrets",
      ConditionExpression: "secrets[0].#hash = :newest",
      ExpressionAttributeNames: { "#hash": "hash" },
      ExpressionAttributeValues: { ":secrets": secrets, ":newest": read.secrets[0]?.hash },
    });
    return item && appItem.parse(item);
  }

  async remove(appId: string): Promise<void> {
    await this.#table.delete(appKey(appId));
  }
}
