/**
 * The harness for races: requests that overlap, and who wins.
 *
 * A file of races is a table of two kinds of rows:
 * - a `race` has several contenders for one thing, and says how many of them get which answer;
 * - in an `overtaking`, something happens at the moment when a request is about to make a certain call of AWS, such as
 *   its transaction, so that it has decided by what is no longer true.
 *
 * Both say what must hold afterwards. `npm test` runs each race once with three contenders, `npm run test:soak` repeatedly
 * and with all of them; an overtaking has no luck in it, so it runs once.
 *
 * The emulator of DynamoDB executes transactions one after another; where a race `collides`, those on one item are refused as on AWS.
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { type AwsCall, awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import { type ApiAnswer, outcome } from "./api.ts";
import { type Calls, isOneOf } from "./calls.ts";
import { sharedPrefix } from "./shared-stack.ts";
import { isSoak, times } from "./soak.ts";

/** Results of a task that runs several times concurrently. */
export const concurrently = <Result>(
  count: number,
  task: (index: number) => Promise<Result>,
): Promise<Result[]> => Promise.all(Array.from({ length: count }, (_, index) => task(index)));

/** How often each text, or the outcome of each answer, occurs. */
export const counted = (results: readonly (ApiAnswer | string | undefined)[]): Record<string, number> => {
  const names = results.map((result) => (typeof result === "object" ? outcome(result) : String(result)));
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
};

/** Checks the answers of the contenders, in their order. */
type Outcomes = (answers: readonly ApiAnswer[]) => void;

/** A number of them, by default one, are answered in one way, and all others in another. */
export const only =
  (winner: string, loser: string, winners = 1): Outcomes =>
  (answers) =>
    expect(counted(answers)).toEqual({ [winner]: winners, [loser]: answers.length - winners });

/** All are answered in one way. */
export const all =
  (wanted: string): Outcomes =>
  (answers) =>
    expect(counted(answers)).toEqual({ [wanted]: answers.length });

/** Each is answered in one of some ways. */
export const each =
  (...allowed: readonly string[]): Outcomes =>
  (answers) =>
    expect(allowed).toEqual(expect.arrayContaining(answers.map(outcome)));

/** Two are answered in one of some ways, such as `201, 409 key-exists`. */
export const either =
  (...pairs: readonly string[]): Outcomes =>
  (answers) =>
    expect(pairs).toContain(answers.map(outcome).join(", "));

/** Some calls, by name or otherwise. */
type Moment = Calls | ((call: AwsCall) => boolean);

type Act<Scene> = (scene: Scene, index: number) => Promise<ApiAnswer>;

/** Several requests at the same moment. */
interface Race<Scene> {
  /** Prepares what they contend for. */
  readonly given: () => Promise<Scene>;
  /** The request of all contenders, or one for each of them. */
  readonly act: Act<NoInfer<Scene>> | readonly Act<NoInfer<Scene>>[];
  /** Another request at the same moment, whose answer comes first. */
  readonly against?: Act<NoInfer<Scene>>;
  /** How many there are in the soak, if all do the same; in `npm test`, there are three. */
  readonly contenders?: number;
  /** How many there are everywhere. */
  readonly exactly?: number;
  /** Number of repetitions in the soak. */
  readonly rounds?: number;
  /** Whether transactions on one item collide. */
  readonly collides?: boolean;
  readonly outcomes?: Outcomes;
  /** Checks what must hold afterwards. */
  readonly holds?: (scene: NoInfer<Scene>, answers: readonly ApiAnswer[]) => Promise<unknown>;
}

/** Contenders of a race in `npm test`. */
const fewContenders = 3;

/** Declare a race. */
export function race<Scene>(
  title: string,
  {
    given,
    act,
    against,
    contenders = fewContenders,
    exactly,
    rounds = 5,
    collides = false,
    outcomes,
    holds,
  }: Race<Scene>,
): void {
  const run = async () => {
    const scene = await given();
    const count = exactly ?? times(fewContenders, contenders);
    const acts: readonly Act<Scene>[] = typeof act === "function" ? Array(count).fill(act) : act;
    const requests = () =>
      Promise.all([...(against ? [against(scene, 0)] : []), ...acts.map((one, index) => one(scene, index))]);
    const answers = await (collides ? collide(requests) : requests());
    outcomes?.(answers);
    await holds?.(scene, answers);
  };
  if (isSoak) it.for(Array.from({ length: rounds }, (_, round) => round + 1))(`${title}, round %i`, run);
  else it(title, run);
}

/** A request that something overtakes. */
interface Overtaking<Scene, Other> {
  readonly given: () => Promise<Scene>;
  /** The request. */
  readonly act: (scene: NoInfer<Scene>) => Promise<ApiAnswer>;
  /** Calls before the first of which it waits until something has happened. */
  readonly before?: (scene: NoInfer<Scene>) => Moment;
  /** The same, but it waits after the answer to the call. */
  readonly after?: (scene: NoInfer<Scene>) => Moment;
  /** The event that happens then. */
  readonly happens: (scene: NoInfer<Scene>) => Promise<Other>;
  /** The outcome of the request. */
  readonly outcome?: string;
  readonly holds?: (
    scene: NoInfer<Scene>,
    results: { answer: ApiAnswer; other: NoInfer<Other> },
  ) => Promise<unknown>;
}

/** Declare a request that something overtakes. */
export function overtaking<Scene, Other>(
  title: string,
  { given, act, before, after, happens, outcome: wanted, holds }: Overtaking<Scene, Other>,
): void {
  it(title, async () => {
    const scene = await given();
    const [answer, other] = await overtake(
      (before ?? after)?.(scene) ?? {},
      () => act(scene),
      () => happens(scene),
      { isAfterwards: before === undefined },
    );
    if (wanted !== undefined) expect(outcome(answer)).toBe(wanted);
    await holds?.(scene, { answer, other });
  });
}

/**
 * Let something happen while an action waits before the first of certain calls or, with `isAfterwards`, after the
 * answer to it.
 * @returns what both return
 * @throws Error when there is no such call
 */
export async function overtake<Result, Other>(
  moment: Moment,
  act: () => Promise<Result>,
  happens: () => Promise<Other>,
  { isAfterwards = false } = {},
): Promise<[Result, Other]> {
  const isReached = typeof moment === "function" ? moment : (call: AwsCall) => isOneOf(moment, call);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const end = interceptAwsCalls(async (call, send) => {
    if (!isReached(call)) return send();
    end();
    const answer = isAfterwards ? await send() : undefined;
    reached.resolve();
    await released.promise;
    return answer ?? send();
  });
  const acting = act();
  acting.then(
    () => reached.reject(new Error(`It made no such call: ${JSON.stringify(moment) ?? moment}`)),
    reached.reject,
  );
  try {
    await reached.promise;
    const other = await happens();
    released.resolve();
    return [await acting, other];
  } finally {
    end();
    released.resolve();
  }
}

/** Run requests whose writes to one item collide as on AWS, at least once. */
async function collide<Result>(requests: () => Promise<Result>): Promise<Result> {
  const contention = emulateContention({ longestMilliseconds: 200 });
  const result = await requests().finally(contention.end);
  expect(contention.collisions()).toBeGreaterThan(0);
  return result;
}

type Operation = { TableName: string; Key?: Record<string, unknown>; Item?: Record<string, unknown> };

/**
 * Let writes of this thread collide as on AWS: while a transaction is in progress, other writes to its items are
 * refused. The emulator executes them one after another instead.
 * @param options.longestMilliseconds how long a transaction waits for another write to collide with it
 */
export function emulateContention({ longestMilliseconds = 15 } = {}) {
  /** Items of transactions, with what ends these early. */
  const locked = new Map<string, () => void>();
  let collisions = 0;
  const itemOf = ({ TableName, Key, Item = {} }: Operation) => {
    const { partitionKey, sortKey }: TableSpec =
      tables[TableName.slice(sharedPrefix.length + 1) as TableName];
    const values = [partitionKey, sortKey ?? ""].map((name) => Object(Key ?? Item)[name]);
    return JSON.stringify([TableName, ...values]);
  };
  const end = interceptAwsCalls(async ({ service, action, body }, send) => {
    const isTransaction = action === "TransactWriteItems";
    if (service !== "dynamodb" || !body.includes(`"${sharedPrefix}-`)) return send();
    if (!isTransaction && !["PutItem", "UpdateItem", "DeleteItem"].includes(action)) return send();
    const input = JSON.parse(body);
    const operations: Operation[] = isTransaction
      ? input.TransactItems.flatMap((item: object) => Object.values(item))
      : [input];
    const items = operations.map(itemOf);
    if (items.some((item) => locked.has(item))) {
      collisions++;
      for (const item of items) locked.get(item)?.();
      const type = isTransaction ? "TransactionCanceledException" : "TransactionConflictException";
      const CancellationReasons = items.map((item) => ({
        Code: locked.has(item) ? "TransactionConflict" : "None",
      }));
      return awsAnswer(400, { __type: type, ...(isTransaction && { CancellationReasons }) });
    }
    if (!isTransaction) return send();
    const { promise: collision, resolve } = Promise.withResolvers<void>();
    for (const item of items) locked.set(item, resolve);
    try {
      await Promise.race([collision, delay(longestMilliseconds, undefined, { ref: false })]);
      return await send();
    } finally {
      for (const item of items) locked.delete(item);
    }
  });
  return { end, collisions: () => collisions };
}
