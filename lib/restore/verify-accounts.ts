import { BatchGetCommand, type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { accountItem, claimItem } from "#shared/accounts/account.ts";
import { identitiesOf } from "#shared/accounts/identity.ts";
import { chunks } from "#shared/platform/chunks.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { kindOf } from "../releases/item-kinds.ts";
import type { Item } from "./item-rules.ts";

/** What does not fit together, by kind, with some examples. */
export interface Mismatches {
  readonly accounts: number;
  readonly claims: number;
  /** Accounts whose claim is missing or belongs to somebody else. */
  readonly withoutClaim: readonly string[];
  /** Claims whose account is missing, deleted, or does not have the identity: by account, because identities are personal. */
  readonly withoutAccount: readonly string[];
}

/** Whether each account holds the claims on its identities, and each claim belongs to such an account. */
export async function verifyAccounts(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  settings: Settings,
): Promise<Mismatches> {
  const withoutClaim: string[] = [];
  const withoutAccount: string[] = [];
  let [accounts, claims] = [0, 0];
  const claimsOf = (item: Item) => {
    const account = accountItem.parse(item);
    const identities = account.status === "deleted" ? [] : identitiesOf(account, settings);
    return identities.map(({ kind, key, sortKey = "claim" }) => nameOf(`${kind}#${key}`, sortKey));
  };
  for await (const items of pagesOf(dynamo, tableName)) {
    const ofKind = (kind: string) => items.filter((item) => kindOf("accounts", item)?.kind === kind);
    const [someAccounts, someClaims] = [ofKind("account"), ofKind("claim")];
    accounts += someAccounts.length;
    claims += someClaims.length;

    const wanted = someAccounts.flatMap((item) =>
      claimsOf(item).map((claim) => ({ claim, userId: String(item.userId) })),
    );
    const found = await readAll(
      dynamo,
      tableName,
      wanted.map(({ claim }) => claim),
    );
    for (const { claim, userId } of wanted)
      if (found.get(claim)?.userId !== userId) withoutClaim.push(userId);

    const owners = await readAll(
      dynamo,
      tableName,
      someClaims.map(({ userId }) => nameOf(`user#${userId}`, "account")),
    );
    for (const item of someClaims) {
      const { userId } = claimItem.parse(item);
      const owner = owners.get(nameOf(`user#${userId}`, "account"));
      if (owner === undefined || !claimsOf(owner).includes(nameOf(item.pk, item.sk)))
        withoutAccount.push(userId);
    }
  }
  return { accounts, claims, withoutClaim, withoutAccount };
}

async function* pagesOf(dynamo: DynamoDBDocumentClient, tableName: string): AsyncGenerator<readonly Item[]> {
  let position: Item | undefined;
  do {
    const page = await dynamo.send(
      new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: position }),
    );
    yield page.Items ?? [];
    position = page.LastEvaluatedKey;
  } while (position !== undefined);
}

/** A key as text. */
const nameOf = (pk: unknown, sk: unknown) => JSON.stringify([pk, sk]);

/** Items by their keys as text. */
async function readAll(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  for (const batch of chunks([...new Set(names)], 100)) {
    let keys = batch.map((name): Record<string, unknown> => {
      const [pk, sk] = JSON.parse(name);
      return { pk, sk };
    });
    while (keys.length > 0) {
      const { Responses = {}, UnprocessedKeys = {} } = await dynamo.send(
        new BatchGetCommand({ RequestItems: { [tableName]: { Keys: keys, ConsistentRead: true } } }),
      );
      for (const item of Responses[tableName] ?? []) found.set(nameOf(item.pk, item.sk), item);
      keys = UnprocessedKeys[tableName]?.Keys ?? [];
    }
  }
  return found;
}
