import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type App, appItem } from "./app.ts";

/** Key of an app in the table, for reads together with other items. */
export const appKey = (appId: string) => ({ owner: `client#${appId}`, entry: "client" });

const list = "clients";
const listKey = (appId: string) => ({ owner: list, entry: appId });

declareItem(
  { table: "oauth", kind: "app-entry", key: [list, "*"], subject: { nobody: "lists the apps" } },
  storedObject({}),
);

/** Third-party apps. Access patterns: by id, one or several; all, in pages in the order of their ids. */
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

  /**
   * One page of the apps. An entry whose app a version without the list has removed is left out, so a page may have fewer
   * than `limit`.
   *
   * @param page.after where the page before ended
   * @returns `last` if another page may follow: the id after which it starts
   */
  async page({ after, limit }: { after?: string | undefined; limit: number }): Promise<{
    apps: App[];
    last: string | undefined;
  }> {
    const { Items = [], LastEvaluatedKey } = await this.#table.page(list, {
      Limit: limit,
      ExclusiveStartKey: after === undefined ? undefined : listKey(after),
    });
    const items = await this.#table.getMany(Items.map(({ entry }) => appKey(String(entry))));
    return {
      apps: items.map((item) => appItem.parse(item)),
      last: LastEvaluatedKey && String(LastEvaluatedKey.entry),
    };
  }

  /** Writes that store a new app, and list it. */
  create(app: App): Write[] {
    describeAudited({ target: { client: app.clientId } });
    return [
      this.#table.putWrite({ ...appKey(app.clientId), ...app }),
      this.#table.putWrite(listKey(app.clientId)),
    ];
  }

  /** Change the name and the redirect URLs. Rejected as `StaleReadError` when there is no such app. */
  describe(
    appId: string,
    {
      applicationName,
      redirectUrl,
      furtherRedirectUrls,
    }: Pick<App, "applicationName" | "redirectUrl" | "furtherRedirectUrls">,
  ): Write {
    const set = "SET applicationName = :name, redirectUrl = :url";
    const hasFurther = furtherRedirectUrls !== undefined;
    return this.#table.updateWrite(appKey(appId), {
      UpdateExpression: hasFurther
        ? `${set}, furtherRedirectUrls = :further`
        : `${set} REMOVE furtherRedirectUrls`,
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeValues: {
        ":name": applicationName,
        ":url": redirectUrl,
        ...(hasFurther && { ":further": furtherRedirectUrls }),
      },
    });
  }

  /** Rejected as `StaleReadError` when the newest secret is no longer the one that was read. */
  replaceSecrets(read: App, secrets: App["secrets"]): Write {
    return this.#table.updateWrite(appKey(read.clientId), {
      UpdateExpression: "SET secrets = :secrets",
      ConditionExpression: "secrets[0].#hash = :newest",
      ExpressionAttributeNames: { "#hash": "hash" },
      ExpressionAttributeValues: { ":secrets": secrets, ":newest": read.secrets[0]?.hash },
    });
  }

  remove(appId: string): Write[] {
    return [this.#table.deleteWrite(appKey(appId)), this.#table.deleteWrite(listKey(appId))];
  }
}
