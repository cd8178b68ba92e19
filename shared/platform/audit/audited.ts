import { createHash, randomUUID } from "node:crypto";
import { type Clock, toSeconds } from "../clock.ts";
import type { Write } from "../data/conditions.ts";
import type { TableContext } from "../data/store-context.ts";
import { Table } from "../data/table.ts";
import { toAsciiAddress } from "../email-address.ts";
import type { Log } from "../log.ts";
import type { ErrorName, Settings } from "../product.ts";
import { type BucketTat, RateLimitedError, takeToken } from "../rate-limit/token-bucket.ts";
import { currentScope, withScope } from "../scope.ts";
import { type AuditRecord, chainOf, hourOf, partOf, refusedMark } from "./audit-record.ts";
import type { AuditedRequest, AuditScope, Stamp } from "./audit-scope.ts";

/**
 * When its changes are recorded: always, only after the task calls `recordAudited`, or never, because it only reads.
 */
export type AuditMode = "changes" | "open" | "reads";

/** How long the table keeps records: weeks longer than sealing them takes. */
const keepSeconds = 35 * 86_400;

/**
 * Maximum number of refused attempts that one instance records, so that an attack does not make recording expensive.
 */
const refusalLimits = { burst: 200, refillSeconds: 0.5 };

/** Records the changes of a request, or the reason of its refusal. */
export class AuditRecorder {
  readonly #table: Table<"audit">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #refusals: ReadonlySet<ErrorName>;
  readonly #addresses: Settings["auditAddresses"];
  #tat: BucketTat;

  /** @param refusals errors that are recorded */
  constructor(
    {
      clock,
      log,
      settings,
      ...context
    }: TableContext & {
      readonly clock: Clock;
      readonly log: Log;
      readonly settings: Pick<Settings, "auditAddresses">;
    },
    refusals: ReadonlySet<ErrorName>,
  ) {
    this.#refusals = refusals;
    this.#addresses = settings.auditAddresses;
    this.#table = new Table(context, "audit");
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Run a task whose changes are recorded, in the transaction of each: the record of a later change replaces the
   * earlier one, which has less.
   */
  run<Result>(request: AuditedRequest, task: () => Result, mode: AuditMode = "changes"): Result {
    const audited = { request, recorder: this, isRead: mode === "reads", isDue: mode === "changes" };
    return withScope({ audited }, task);
  }

  stamp = (): Stamp => ({ milliseconds: this.#clock(), id: randomUUID() });

  write(request: AuditedRequest, stamp: Stamp): Write {
    return this.#table.putWrite(this.#itemOf(request, stamp, false));
  }

  /** Record an action without a transaction: a read, or something done without a request. */
  async record(request: AuditedRequest, stamp = this.stamp()): Promise<void> {
    await this.#table.put(this.#itemOf(request, stamp, true));
  }

  #itemOf(request: AuditedRequest, { milliseconds, id }: Stamp, mayBeOfAll: boolean) {
    const named = withTarget(request, mayBeOfAll);
    const { time, chain, part } = this.#placeOf(named, milliseconds);
    return withoutUndefined({
      ...named,
      part,
      entry: `${chain}#${time}#${id}`,
      time,
      ...this.#purge(),
    });
  }

  /** Used in a record instead of an address, in the form that the settings choose. */
  markOf = (address: string): string => (this.#addresses === "masked" ? masked(address) : hashed(address));

  /**
   * Counts a refused attempt, if such refusals are recorded; equal attempts of one hour share a record. Attempts that
   * cannot be recorded, because of a fault or of their number, are logged.
   * @param identify reads the account of the actor, which decides the chain of the record
   */
  async countRefusal(error: ErrorName, identify: () => Promise<unknown>): Promise<void> {
    const isOperator = currentAudited()?.actor.kind === "operator";
    if (!this.#refusals.has(error) && !isOperator) return;
    try {
      this.#tat = takeToken(this.#tat, refusalLimits, this.#clock());
      await identify();
      const request = currentAudited();
      if (request !== undefined) await this.#countRefusal(withTarget(request, true), error);
    } catch (cause) {
      const isTooMany = cause instanceof RateLimitedError;
      this.#log[isTooMany ? "warn" : "error"]("refusal-not-recorded", { error: cause as Error });
    }
  }

  async #countRefusal(request: AuditedRequest, error: string): Promise<void> {
    const { time, chain, part } = this.#placeOf(request);
    const { requestId: _, command: __, ...common } = { ...request, error };
    const likeness = createHash("sha256").update(JSON.stringify(common)).digest("base64url").slice(0, 22);
    const fields = Object.entries(withoutUndefined({ ...request, error, time, ...this.#purge() }));
    await this.#table.update(
      { part, entry: `${chain}#${refusedMark}#${likeness}` },
      {
        UpdateExpression: `ADD #count :one SET ${fields.map((_, index) => `#f${index} = :f${index}`).join(", ")}`,
        ExpressionAttributeNames: {
          "#count": "count",
          ...Object.fromEntries(fields.map(([name], index) => [`#f${index}`, name])),
        },
        ExpressionAttributeValues: {
          ":one": 1,
          ...Object.fromEntries(fields.map(([, value], index) => [`:f${index}`, value])),
        },
      },
    );
  }

  #placeOf({ actor, target, team }: AuditedRequest, now = this.#clock()) {
    const chain = chainOf({ team, user: actor.user ?? target.uid });
    return { time: new Date(now).toISOString(), chain, part: partOf(hourOf(now), chain) };
  }

  #purge = () => ({ purgeAtSeconds: toSeconds(this.#clock()) + keepSeconds });
}

/** A request whose record names a target. */
const withTarget = (request: AuditedRequest, isRead: boolean): AuditedRequest =>
  Object.keys(request.target).length > 0 ? request : { ...request, target: ownTarget(request.actor, isRead) };

/** Without a target, users act on themselves; an operator who reads has asked for everything. */
function ownTarget(
  { kind, user, provider, bot, token }: Readonly<Partial<AuditRecord["actor"]>>,
  mayBeOfAll: boolean,
): Record<string, string> {
  if (user !== undefined) return { uid: user };
  if (mayBeOfAll && kind === "operator") return { scope: "installation" };
  return Object.fromEntries(
    Object.entries({ provider, bot, token }).flatMap(([name, id]) => (id === undefined ? [] : [[name, id]])),
  );
}

/** The record for a transaction that changes something: one write, or none where nothing is audited. */
export function auditWrites(): Write[] {
  const current = currentScope().audited;
  if (!current?.isDue) return [];
  current.stamp ??= current.recorder.stamp();
  return [current.recorder.write(current.request, current.stamp)];
}

/** A value before and after a change; undefined: there was or is none. */
type Changed = Readonly<Record<"before" | "after", string | undefined>>;

/** Add to the later records of this request; an undefined target is removed. */
export function describeAudited({
  target = {},
  changes = {},
  ...more
}: Partial<Pick<AuditedRequest, "actor" | "team">> & {
  readonly target?: Readonly<Record<string, string | undefined>>;
  readonly changes?: Readonly<Record<string, Changed>>;
}): void {
  const current = currentScope().audited;
  if (current === undefined) return;
  current.request = {
    ...current.request,
    ...more,
    target: withoutUndefined({ ...current.request.target, ...target }),
    ...withChanges(current.request.changes, changes),
  };
}

/** Unchanged values are left out. */
function withChanges(known: AuditedRequest["changes"], added: Readonly<Record<string, Changed>>) {
  const short = (value: string | undefined) => value?.slice(0, maxValueLength);
  const values = Object.entries(added).map(([name, { before, after }]) => [
    name,
    before === after ? undefined : withoutUndefined({ before: short(before), after: short(after) }),
  ]);
  // A repeated decision may find that nothing is left to change.
  const changes = withoutUndefined({ ...known, ...Object.fromEntries(values) });
  return { changes: Object.keys(changes).length === 0 ? undefined : changes };
}

/** Record how addresses or other names of a person change, each in the form for records. */
export function describeAddresses(addresses: Readonly<Record<string, Changed>>): void {
  const mark = (address: string | undefined) => address && addressMark(address);
  const marked = Object.entries(addresses).map(([name, { before, after }]) => [
    name,
    { before: mark(before), after: mark(after) },
  ]);
  describeAudited({ changes: Object.fromEntries(marked) });
}

/** Record the later changes of this request, for routes that leave it open. */
export function recordAudited(): void {
  const current = currentScope().audited;
  if (current !== undefined) current.isDue = true;
}

/** Whether the changes of this request are recorded. */
export const isAuditDue = (): boolean => currentScope().audited?.isDue ?? false;

/**
 * Kinds of actors who act on behalf of others, so that their records belong to the target's chain. Records of all other
 * actors are in the chain of their own team, never in that of a target, which would reveal their network and their
 * private matters.
 */
const impersonal: ReadonlySet<string | undefined> = new Set(["anybody", "operator"]);

/**
 * Note an account that this request has read. It may be the actor, or the target of an operator or of somebody without
 * a token, and its team decides the chain.
 */
export function noteAccount(userId: string, teamId: string | undefined): void {
  const current = currentScope().audited;
  if (current === undefined) return;
  const { actor, target, team } = current.request;
  const isNobodyKnown = target.uid === undefined && actor.user === undefined && mayBeTarget(current);
  if (isNobodyKnown)
    describeAudited({ target: { uid: userId }, ...(teamId !== undefined && { team: teamId }) });
  const subject = actor.user ?? (impersonal.has(actor.kind) ? target.uid : undefined);
  if (!isNobodyKnown && team === undefined && teamId !== undefined && userId === subject)
    describeAudited({ team: teamId });
}

/**
 * Note all accounts that this request shows to an operator. The record names each, and is in the chain of their team if
 * they have the same one.
 */
export function noteAccounts(accounts: readonly { userId: string; teamId?: string | undefined }[]): void {
  const [first, ...others] = accounts;
  if (first === undefined) return;
  const team = others.every(({ teamId }) => teamId === first.teamId) ? first.teamId : undefined;
  const uids = accounts.map(({ userId }) => userId).toSorted();
  describeAudited({
    target: {
      ids: undefined,
      ...(others.length === 0 ? { uid: first.userId } : { uid: undefined, uids: uids.join(" ") }),
    },
    team,
  });
}

/** Whether an account that is read may be the subject: for somebody without a token, or an operator who reads. */
const mayBeTarget = ({ isRead, request: { actor } }: AuditScope): boolean =>
  (actor.kind === "anybody" && Object.keys(actor).length === 1) || (isRead && actor.kind === "operator");

/**
 * Used in a record instead of an address: it does not reveal the address, but those who know that can find the record.
 */
export const addressMark = (address: string): string =>
  currentScope().audited?.recorder.markOf(address) ?? hashed(address);

const hashed = (address: string) =>
  createHash("sha256").update(toAsciiAddress(address)).digest("base64url").slice(0, 22);

/** The beginning and the domain of an address, the beginning and the end of a number, or the beginning of a handle. */
const masked = (address: string) =>
  address.startsWith("+")
    ? `${address.slice(0, 3)}***${address.slice(-2)}`
    : address.replace(/^(.)[^@]*/s, "$1***");

/** Maximum number of characters of a value in a record. */
const maxValueLength = 200;

/** Maximum number of ids of a list in a record, so that the record takes no more than one write unit. */
const maxIds = 16;

/** A list of ids for a record; surplus ids are only counted. */
export const someIds = (ids: readonly string[]): string =>
  [...ids.slice(0, maxIds), ...(ids.length > maxIds ? [`+${ids.length - maxIds}`] : [])].join(" ");

/** The present content of the records of this request. */
export const currentAudited = (): AuditedRequest | undefined => currentScope().audited?.request;

const withoutUndefined = <Item extends object>(item: Item) =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Item]: Exclude<Item[Name], undefined>;
  };
