import { randomUUID } from "node:crypto";
import * as z from "zod";
import { retryStale, transact, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type DomainRegistration, domainRegistrationItem } from "./domain-registration.ts";

/** The team has reached its limit of domains. */
export class TooManyDomainsError extends Error {
  override readonly name = "TooManyDomainsError";
}

const registrationKey = (domain: string) => ({ owner: `domain#${domain}`, entry: "registration" });
const claimedKey = (teamId: string) => ({ owner: `team#${teamId}`, entry: "domains" });

declareItem(
  { table: "domains", kind: "claimed", key: ["team#*", "domains"], subject: { team: "partition" } },
  storedObject({ domains: z.set(z.string()).optional() }),
);

/**
 * Registered email domains. Access patterns: registration by domain; domains that a team has claimed.
 *
 * The names of a team's domains are one item, which is written in the transaction that changes the claim.
 */
export class RegisteredDomainStore {
  readonly #dynamo: StoreContext["dynamo"];
  readonly #table: Table<"domains">;
  readonly #verification: Settings["domainVerification"];

  constructor(context: StoreContext) {
    this.#table = new Table(context, "domains");
    this.#dynamo = context.dynamo;
    this.#verification = context.config.settings.domainVerification;
  }

  async get(domain: string): Promise<DomainRegistration | undefined> {
    const item = await this.#table.get(registrationKey(domain));
    return item && domainRegistrationItem.parse(item);
  }

  /** The registration whose rules apply; undefined while the service is off, without a read. */
  async rulesOf(domain: string): Promise<DomainRegistration | undefined> {
    return this.#verification === null ? undefined : this.get(domain);
  }

  /** Registrations by domain, in any order; unknown domains are left out. */
  async getMany(domains: readonly string[]): Promise<DomainRegistration[]> {
    const items = await this.#table.getMany(domains.map(registrationKey));
    return items.map((item) => domainRegistrationItem.parse(item));
  }

  /** The domains that a team has claimed. */
  async claimedBy(teamId: string): Promise<string[]> {
    const item = await this.#table.get(claimedKey(teamId));
    return [...((item?.domains as Set<string> | undefined) ?? [])];
  }

  /**
   * Writes that bring a registration from one state to the next: without `previous` they create it, without `next` they
   * remove it. Rejected as `StaleReadError` when it has changed since it was read, and as `TooManyDomainsError`.
   */
  save(
    previous: DomainRegistration | undefined,
    next: Omit<DomainRegistration, "version"> | undefined,
  ): Write[] {
    const { domain } = (next ?? previous) as Pick<DomainRegistration, "domain">;
    const [before, after] = [previous?.authorizedTeam, next?.authorizedTeam];
    const unchanged = isStill(previous);
    return [
      next === undefined
        ? this.#table.deleteWrite(registrationKey(domain), unchanged)
        : this.#table.putWrite({ ...registrationKey(domain), ...next, version: randomUUID() }, unchanged),
      ...(before === undefined || before === after ? [] : [this.#release(before, domain)]),
      ...(after === undefined || before === after ? [] : [this.#claim(after, domain)]),
    ];
  }

  /**
   * Remove all domains that a team has claimed. The team must be past the point where it can claim another. Safe to
   * repeat.
   */
  async removeAllOf(teamId: string): Promise<void> {
    for (const domain of await this.claimedBy(teamId)) {
      await retryStale(() => this.#removeIfClaimed(domain, teamId));
    }
    await this.#table.delete(claimedKey(teamId));
  }

  async #removeIfClaimed(domain: string, teamId: string): Promise<void> {
    const registration = await this.get(domain);
    if (registration?.authorizedTeam !== teamId) return;
    await transact(this.#dynamo, this.save(registration, undefined));
  }

  #claim(teamId: string, domain: string): Write {
    return this.#table.updateWrite(claimedKey(teamId), {
      UpdateExpression: "ADD domains :domain",
      ConditionExpression: "attribute_not_exists(domains) OR size(domains) < :max",
      ExpressionAttributeValues: {
        ":domain": new Set([domain]),
        ":max": this.#verification?.maxDomainsPerTeam ?? 0,
      },
      onRejected: () => new TooManyDomainsError(teamId),
    });
  }

  #release(teamId: string, domain: string): Write {
    return this.#table.updateWrite(claimedKey(teamId), {
      UpdateExpression: "DELETE domains :domain",
      // Leaves nothing behind for a team that has been deleted meanwhile.
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeValues: { ":domain": new Set([domain]) },
    });
  }
}

const isStill = (previous: DomainRegistration | undefined) =>
  previous === undefined
    ? { ConditionExpression: "attribute_not_exists(entry)" }
    : {
        ConditionExpression: "version = :version",
        ExpressionAttributeValues: { ":version": previous.version },
      };
