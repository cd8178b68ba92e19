import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { accountItem, claimItem } from "#shared/accounts/account.ts";
import { identitiesOf } from "#shared/accounts/identity.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { kindOf } from "../releases/item-kinds.ts";
import type { Item } from "./item-rules.ts";
import { keyText, pagesOf, readItems } from "./read-table.ts";

/** Inconsistencies by kind, with some examples. */
export interface Mismatches {
  readonly accounts: number;
  readonly claims: number;
  /** Accounts whose claim is missing or belongs to somebody else. */
  readonly withoutClaim: readonly string[];
  /**
   * Claims whose account is missing, deleted, or does not have the identity: listed by account, because identities are
   * personal data.
   */
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
  const read = (keys: readonly Item[]) => readItems(dynamo, { table: "accounts", tableName }, keys);
  const claimsOf = (item: Item) => {
    const account = accountItem.parse(item);
    const identities = account.status === "deleted" ? [] : identitiesOf(account, settings);
    return identities.map(({ kind, key, sortKey = "claim" }) => ({ pk: `${kind}#${key}`, sk: sortKey }));
  };
  for await (const items of pagesOf(dynamo, tableName)) {
    const ofKind = (kind: string) => items.filter((item) => kindOf("accounts", item)?.kind === kind);
    const [someAccounts, someClaims] = [ofKind("account"), ofKind("claim")];
    accounts += someAccounts.length;
    claims += someClaims.length;

    const wanted = someAccounts.flatMap((item) =>
      claimsOf(item).map((claim) => ({ claim, userId: String(item.userId) })),
    );
    const found = await read(wanted.map(({ claim }) => claim));
    for (const { claim, userId } of wanted)
      if (found.get(nameOf(claim))?.userId !== userId) withoutClaim.push(userId);

    const owners = await read(someClaims.map(({ userId }) => accountKey(userId)));
    for (const item of someClaims) {
      const { userId } = claimItem.parse(item);
      const owner = owners.get(nameOf(accountKey(userId)));
      if (owner === undefined || !claimsOf(owner).map(nameOf).includes(nameOf(item)))
        withoutAccount.push(userId);
    }
  }
  return { accounts, claims, withoutClaim, withoutAccount };
}

const nameOf = (key: Item) => keyText("accounts", key);
const accountKey = (userId: unknown): Item => ({ pk: `user#${userId}`, sk: "account" });
