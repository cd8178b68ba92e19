import type * as z from "zod";
import { accountItem } from "#shared/accounts/account.ts";
import { conversationEntry } from "#shared/conversations/conversation-member.ts";
import { guestLinkKey } from "#shared/conversations/guest-link.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import type { StoredItem } from "#shared/platform/data/stored-item.ts";
import { teamProvisioning } from "#shared/provisioning/team-provisioning.ts";
import { memberItem } from "#shared/teams/member.ts";
import { allItemKinds, kindOf, nameOf } from "../releases/item-kinds.ts";
import type { Item } from "./person.ts";
import type { Place, TableReader } from "./table-reader.ts";

type Kind = StoredItem<z.ZodType>;

/** The items of one of its people that a team may see, by kind. */
export interface TeamPerson {
  readonly userId: string;
  readonly items: ReadonlyMap<string, readonly Item[]>;
}

/** Partitions that are read at the same time; as many people or conversations are in memory. */
const concurrency = 16;

/**
 * Finds the data of a team of any size by keys, without reading whole tables: items of the team's own kinds, and what
 * its people leave to it.
 */
export class TeamWalk {
  readonly #reader: TableReader;
  readonly #teamId: string;
  /** Kinds of items that belong to a team, in the order of tables and kinds. */
  readonly kinds: readonly Kind[];
  /** Kinds of items in the file of each of its people. */
  readonly personalKinds: readonly Kind[];

  constructor(reader: TableReader, teamId: string, kinds: readonly Kind[]) {
    this.#reader = reader;
    this.#teamId = teamId;
    const shown = kinds.filter(({ subject }) => "team" in subject || ("user" in subject && subject.toTeam));
    this.personalKinds = shown.filter((kind) => kind === memberItem || isKeyedByUser(kind));
    this.kinds = shown.filter((kind) => !this.personalKinds.includes(kind));
  }

  /** Items of one of the team's kinds. */
  async *itemsOf(kind: Kind): AsyncGenerator<Item> {
    for await (const places of chunksOfStream(this.#placesOf(kind), concurrency)) {
      const [first, ...others] = places;
      if (first === undefined) continue;
      const found = Promise.all(others.map((place) => toArray(this.#read(kind, place))));
      yield* this.#read(kind, first);
      yield* (await found).flat();
    }
  }

  /** All members, then the people whom the directory has invited. */
  async *people(): AsyncGenerator<TeamPerson> {
    for await (const userIds of chunksOfStream(this.#peopleIds(), concurrency))
      yield* await Promise.all(userIds.map((userId) => this.#person(userId)));
  }

  async *#peopleIds(): AsyncGenerator<string> {
    // Not parsed, so that the archive also has items that this version cannot read.
    for await (const { entry } of this.#query("teams", "member#"))
      yield String(entry).slice("member#".length);
    const claims = { table: "accounts", partition: `external-id#${this.#teamId}` } as const;
    for await (const { status, userId } of this.#reader.query(claims))
      if (status === "pending-invitation") yield String(userId);
  }

  async #person(userId: string): Promise<TeamPerson> {
    const found = await Promise.all(
      this.personalKinds.map(async (kind) => {
        const place: Place =
          kind === memberItem
            ? { table: "teams", partition: `team#${this.#teamId}`, sort: `member#${userId}` }
            : { table: kind.table, partition: `user#${userId}`, sort: prefixIn(kind) };
        return [kind, await toArray(this.#read(kind, place))] as const;
      }),
    );
    const items = found.filter(([, { length }]) => length > 0);
    // After a defect, a team may list a member whose account is not, or no longer, in the team.
    const isInTeam = items.some(([kind, [item]]) => kind === accountItem && item?.teamId === this.#teamId);
    const shown = isInTeam ? items : items.filter(([kind]) => kind === memberItem);
    return { userId, items: new Map(shown.map(([kind, ofKind]) => [nameOf(kind), ofKind])) };
  }

  async *#read(kind: Kind, place: Place): AsyncGenerator<Item> {
    for await (const item of this.#reader.query(place)) if (kindOf(place.table, item) === kind) yield item;
  }

  #query(table: Place["table"], sort: string): AsyncGenerator<Item> {
    return this.#reader.query({ table, partition: `team#${this.#teamId}`, sort });
  }

  /** The partitions of the team's items of a kind: that of the team, unless other items lead to them. */
  async *#placesOf(kind: Kind): AsyncGenerator<Place> {
    const { table } = kind;
    switch (nameOf(kind)) {
      case "conversations/conversation":
      case "conversations/member":
        for await (const { conversationId } of this.#conversations())
          yield { table, partition: `conversation#${conversationId}`, sort: prefixIn(kind) };
        return;
      case "conversations/guest-link":
        for await (const { conversationId } of this.#conversations())
          yield { table, partition: `code#${guestLinkKey(conversationId)}` };
        return;
      case "domains/registration":
        for await (const { domains } of this.#query("domains", "domains"))
          for (const domain of (domains ?? []) as Iterable<string>)
            yield { table, partition: `domain#${domain}`, sort: prefixIn(kind) };
        return;
      case "provisioning/identity-provider":
        for await (const item of this.#query("provisioning", "provisioning"))
          for (const { id } of teamProvisioning.parse(item).providers)
            yield { table, partition: `idp#${id}`, sort: prefixIn(kind) };
        return;
      case "provisioning/scim-token":
        for await (const item of this.#query("provisioning", "provisioning"))
          for (const { hash } of teamProvisioning.parse(item).tokens)
            yield { table, partition: `token#${hash}` };
        return;
      case "teams/legal-hold-whitelist":
        yield { table, partition: "legal-hold-whitelist", sort: this.#teamId };
        return;
      default:
        yield { table, partition: `team#${this.#teamId}`, sort: prefixIn(kind) };
    }
  }

  async *#conversations() {
    for await (const item of this.#query("conversations", "conversation#"))
      yield conversationEntry.parse(item);
  }
}

/** @see TeamWalk */
export const walkTeam = async (reader: TableReader, teamId: string) =>
  new TeamWalk(reader, teamId, await allItemKinds());

async function toArray(items: AsyncIterable<Item>): Promise<Item[]> {
  const array: Item[] = [];
  for await (const item of items) array.push(item);
  return array;
}

const isKeyedByUser = ({ key: [partition] }: Kind) => partition === "user#*";

/** Prefix of the sort keys of a kind. */
const prefixIn = ({ key: [, sort = ""] }: Kind) => sort.replace(/\*$/, "");
