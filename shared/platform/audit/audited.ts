import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, randomUUID } from "node:crypto";
import { type Clock, toSeconds } from "../clock.ts";
import type { Write } from "../data/conditions.ts";
import type { TableContext } from "../data/store-context.ts";
import { Table } from "../data/table.ts";
import type { Log } from "../log.ts";
import type { ErrorName } from "../product.ts";
import { type BucketTat, RateLimitedError, takeToken } from "../rate-limit/token-bucket.ts";
import { type AuditRecord, chainOf, hourOf, partOf, refusedMark } from "./audit-record.ts";

/** What is known of a change when its request begins. */
export type AuditedRequest = Pick<
  AuditRecord,
  "event" | "operation" | "actor" | "target" | "team" | "network" | "requestId"
>;

interface Running {
  request: AuditedRequest;
  readonly recorder: AuditRecorder;
  /** Whether what it changes is recorded. */
  isDue: boolean;
}

const running = new AsyncLocalStorage<Running>();

/** How long the table keeps records: weeks longer than sealing them takes. */
const keepSeconds = 35 * 86_400;

/** Refused attempts that one instance records: an attack must not cost more than what it attacks. */
const refusalLimits = { burst: 200, refillSeconds: 0.5 };

/** Records what a request changes, or why it was refused. */
export class AuditRecorder {
  readonly #table: Table<"audit">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #refusals: ReadonlySet<ErrorName>;
  #tat: BucketTat;

  /** @param refusals errors that are recorded */
  constructor(
    { clock, log, ...context }: TableContext & { readonly clock: Clock; readonly log: Log },
    refusals: ReadonlySet<ErrorName>,
  ) {
    this.#refusals = refusals;
    this.#table = new Table(context, "audit");
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Run a task whose changes are recorded, each in its own transaction.
   * @param isDue false if they are only once the task calls `recordAudited`
   */
  run<Result>(request: AuditedRequest, task: () => Result, isDue = true): Result {
    return running.run({ request, recorder: this, isDue }, task);
  }

  write(request: AuditedRequest): Write {
    const { time, chain, part } = this.#placeOf(request);
    const item = { ...request, part, entry: `${chain}#${time}#${randomUUID()}`, time, ...this.#purge() };
    return this.#table.putWrite(withoutUndefined(item));
  }

  /**
   * Counts an attempt that was refused, if that matters; those of one hour that have everything in common share a record. What cannot be
   * recorded, for a fault or because there are too many, is logged.
   * @param identify reads the account of who acts, which tells in whose chain the record is
   */
  async countRefusal(error: ErrorName, identify: () => Promise<unknown>): Promise<void> {
    if (!this.#refusals.has(error)) return;
    try {
      this.#tat = takeToken(this.#tat, refusalLimits, this.#clock());
      await identify();
      const request = currentAudited();
      if (request !== undefined) await this.#countRefusal(request, error);
    } catch (cause) {
      const isTooMany = cause instanceof RateLimitedError;
      this.#log[isTooMany ? "warn" : "error"]("refusal-not-recorded", { error: cause as Error });
    }
  }

  async #countRefusal(request: AuditedRequest, error: string): Promise<void> {
    const { time, chain, part } = this.#placeOf(request);
    const { requestId: _, ...common } = { ...request, error };
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

  #placeOf({ actor, target, team }: AuditedRequest) {
    const now = this.#clock();
    const chain = chainOf({ team, user: actor.user ?? target.uid });
    return { time: new Date(now).toISOString(), chain, part: partOf(hourOf(now), chain) };
  }

  #purge = () => ({ purgeAtSeconds: toSeconds(this.#clock()) + keepSeconds });
}

/** The record for a transaction that changes something: one write, or none where nothing is audited. */
export function auditWrites(): Write[] {
  const current = running.getStore();
  return current?.isDue ? [current.recorder.write(current.request)] : [];
}

/** Add to what the records of this request say from now on; a target that is undefined is taken out. */
export function describeAudited({
  target = {},
  ...more
}: Partial<Pick<AuditedRequest, "actor" | "team">> & {
  readonly target?: Readonly<Record<string, string | undefined>>;
}): void {
  const current = running.getStore();
  if (current === undefined) return;
  current.request = {
    ...current.request,
    ...more,
    target: withoutUndefined({ ...current.request.target, ...target }),
  };
}

/** Record what this request changes from now on, which its route leaves open. */
export function recordAudited(): void {
  const current = running.getStore();
  if (current !== undefined) current.isDue = true;
}

/** Whether what this request changes is recorded. */
export const isAuditDue = (): boolean => running.getStore()?.isDue ?? false;

/**
 * Kinds of actors who are not people of their own: what they do is about whom they do it to. All others have records in the
 * chain of their own team, never in that of a target, which would learn of their network and of what concerns only them.
 */
const impersonal: ReadonlySet<string | undefined> = new Set(["anybody", "operator"]);

/**
 * An account that this request has read: it may be who acts, or whom an operator, or somebody without a token, acts upon, and
 * tells their team.
 */
export function noteAccount(userId: string, teamId: string | undefined): void {
  const current = running.getStore();
  if (current === undefined) return;
  const { actor, target, team } = current.request;
  const isNobodyKnown =
    Object.keys(actor).length === 1 && actor.kind === "anybody" && target.uid === undefined;
  if (isNobodyKnown)
    describeAudited({ target: { uid: userId }, ...(teamId !== undefined && { team: teamId }) });
  const subject = actor.user ?? (impersonal.has(actor.kind) ? target.uid : undefined);
  if (!isNobodyKnown && team === undefined && teamId !== undefined && userId === subject)
    describeAudited({ team: teamId });
}

/** Stands for an address in a record, which must not hold it: whoever knows the address can find the record. */
export const addressMark = (address: string): string =>
  createHash("sha256").update(address).digest("base64url").slice(0, 22);

/** Most ids of a list in a record, which is to stay as small as an item is charged. */
const maxIds = 16;

/** A list of ids for a record; what is too much is counted. */
export const someIds = (ids: readonly string[]): string =>
  [...ids.slice(0, maxIds), ...(ids.length > maxIds ? [`+${ids.length - maxIds}`] : [])].join(" ");

/** What the records of this request say now. */
export const currentAudited = (): AuditedRequest | undefined => running.getStore()?.request;

const withoutUndefined = <Item extends object>(item: Item) =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Item]: Exclude<Item[Name], undefined>;
  };
