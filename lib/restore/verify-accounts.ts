import { type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { accountItem, claimItem } from "#shared/accounts/account.ts";
import { identitiesOf } from "#shared/accounts/identity.ts";
import { readItem } from "#shared/platform/data/batch-read.ts";
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

/** Items by their keys as text; the reads share requests. */
async function readAll(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  const distinct = [...new Set(names)];
  const items = await Promise.all(
    distinct.map((name) => {
      const [pk, sk] = JSON.parse(name);
      return readItem(dynamo, tableName, { pk, sk });
    }),
  );
  return new Map(
    distinct.flatMap((name, index) => {
      const item = items[index];
      return item === undefined ? [] : [[name, item] as const];
    }),
  );
}
