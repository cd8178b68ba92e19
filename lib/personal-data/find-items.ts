import { accountItem } from "#shared/accounts/account.ts";
import {
  emailIdentity,
  handleIdentity,
  type Identity,
  identitiesOf,
  phoneIdentity,
  spellingsOf,
  storedEmailIdentity,
} from "#shared/accounts/identity.ts";
import { cipherSuites } from "#shared/devices/mls/cipher-suites.ts";
import { toAsciiAddress } from "#shared/platform/email-address.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { allItemKinds, kindOf, nameOf } from "../releases/item-kinds.ts";
import { type Item, isOf, type Person } from "./person.ts";
import type { Place, TableReader } from "./table-reader.ts";

/** Tables that are read completely, because no key leads from a user to their items in them. */
const scannedTables: readonly TableName[] = [
  // The partition key is the key of the asset.
  "assets",
  // The partition key is a hash of purpose and address.
  "codes",
  // The partition key is the hash of a code or token.
  "oauth",
];

/** The further partitions to which an item of a kind leads, for the person who owns it. */
const leads: Readonly<Record<string, (item: Item, person: Person, settings: Settings) => Place[]>> = {
  "accounts/account": (item, { userId }, settings) => {
    const account = accountItem.parse(item);
    const { email, teamId, unprovenEmail, emailUnvalidated } = account;
    const addresses = [email, unprovenEmail, emailUnvalidated].filter((one) => one !== undefined);
    return [
      ...identitiesOf(account, settings).map(({ kind, key }) => ({
        table: "accounts" as const,
        partition: `${kind}#${key}`,
      })),
      ...addresses.flatMap((address): Place[] => [
        { table: "mail-suppressions", partition: toAsciiAddress(address) },
        { table: "accounts", partition: `email#${storedEmailIdentity(address, settings).key}` },
        { table: "teams", partition: `email#${storedEmailIdentity(address, settings).key}` },
      ]),
      ...(teamId === undefined ? [] : ["member#", "admin#"]).map((prefix) => ({
        table: "teams" as const,
        partition: `team#${teamId}`,
        sort: `${prefix}${userId}`,
      })),
    ];
  },
  "clients/devices": ({ devices }, { userId }) =>
    Object.keys(devices as object).flatMap((clientId): Place[] => {
      const partition = `device#${userId}#${clientId}`;
      const suites = [...cipherSuites.keys()];
      return [
        { table: "clients", partition },
        { table: "notifications", partition },
        ...suites.map((suite) => ({
          table: "key-packages" as const,
          partition: `${partition}#${suite}`,
        })),
      ];
    }),
  "conversations/list-entry": ({ conversationId }, { userId }) => [
    { table: "conversations", partition: `conversation#${conversationId}`, sort: `member#${userId}` },
  ],
  "search/user": ({ entries }) =>
    (entries as { list: string; entry: string }[]).map(({ list, entry }) => ({
      table: "search",
      partition: list,
      sort: entry,
    })),
  "sockets/push-tokens": ({ tokens }) =>
    (tokens as { endpointArn?: string }[]).map(({ endpointArn }) => ({
      table: "sockets",
      partition: `endpoint#${endpointArn}`,
    })),
  "sockets/socket": ({ socketId }) => [{ table: "sockets", partition: `socket#${socketId}` }],
  "teams/invited-address": ({ teamId, invitations }) =>
    (invitations as { invitationId: string; codeHash: string }[]).flatMap(
      ({ invitationId, codeHash }): Place[] => [
        { table: "teams", partition: `team#${teamId}`, sort: `invitation#${invitationId}` },
        { table: "teams", partition: `code#${codeHash}` },
      ],
    ),
};

/** The person with an id. Once the account is deleted, only the operator knows its addresses. */
export async function findPerson(
  reader: TableReader,
  userId: string,
  settings: Settings,
  addresses: readonly string[] = [],
): Promise<Person> {
  const names = new Set([userId, ...addressNames(addresses, settings)]);
  for await (const item of reader.query({
    table: "accounts",
    partition: `user#${userId}`,
    sort: "account",
  })) {
    const account = accountItem.parse(item);
    const unproven = [account.unprovenEmail, account.emailUnvalidated].filter((one) => one !== undefined);
    const identities = [
      ...identitiesOf(account, settings).filter(
        ({ kind }) => kind !== "saml" && kind !== "external-id" && kind !== "user-name",
      ),
      ...unproven.map((address) => storedEmailIdentity(address, settings)),
    ];
    for (const name of identities.flatMap(spellingsOf)) names.add(name);
    if (account.phoneUnvalidated !== undefined) names.add(account.phoneUnvalidated);
  }
  return { userId, names };
}

/**
 * Email addresses in all spellings that items may have, phone numbers, and handles, which begin with an `@`.
 * @throws ApiError for anything else
 */
export const addressNames = (addresses: readonly string[], settings: Settings): string[] =>
  addresses.flatMap((address) => spellingsOf(identityNamed(address, settings)));

function identityNamed(address: string, settings: Settings): Identity {
  if (address.startsWith("@")) return handleIdentity(address.slice(1));
  return address.includes("@") ? emailIdentity(address, settings) : phoneIdentity(address);
}

/** All items of a person, by kind: those to which keys lead, and those in tables without such keys. */
export async function findItems(
  reader: TableReader,
  person: Person,
  settings: Settings,
): Promise<ReadonlyMap<string, readonly Item[]>> {
  const found = new Map<string, Map<string, Item>>();
  const kinds = await allItemKinds();
  const ofPartition = kinds.filter(({ subject }) => "user" in subject && subject.user === "partition");
  const places: Place[] = [...new Set(ofPartition.map(({ table }) => table))]
    .filter((table) => !scannedTables.includes(table))
    .map((table) => ({ table, partition: `user#${person.userId}` }));

  function take(table: TableName, item: Item): void {
    const kind = kindOf(table, item);
    if (kind === undefined || !isOf(kind, item, person.names)) return;
    const name = nameOf(kind);
    const items = found.get(name) ?? new Map<string, Item>();
    found.set(name, items);
    const key = JSON.stringify(keyOf(table, item));
    if (items.has(key)) return;
    items.set(key, item);
    places.push(...(leads[name]?.(item, person, settings) ?? []));
  }

  for (const table of scannedTables) for await (const item of reader.scan(table)) take(table, item);
  for (let place = places.shift(); place !== undefined; place = places.shift())
    for await (const item of reader.query(place)) take(place.table, item);
  const sorted = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return new Map(sorted.map(([name, items]) => [name, [...items.values()]]));
}

/** The texts of an item's key. */
function keyOf(table: TableName, item: Item): unknown[] {
  const { partitionKey, sortKey }: { partitionKey: string; sortKey?: string } = tables[table];
  return [item[partitionKey], sortKey === undefined ? undefined : item[sortKey]];
}
