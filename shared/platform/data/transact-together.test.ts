import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { injectFaults } from "../../../test/support/faults.ts";
import { createDynamo } from "./dynamo.ts";
import { Table } from "./table.ts";
import { transactTogether } from "./transact-together.ts";

const dynamo = createDynamo();
const config = { tableName: (name: string) => `test-${name}`, settings: parseSettings({}) };
const table = new Table({ dynamo, config }, "properties");

/** Commits sets of entries of one owner together, each only where it is new. */
async function commit(owner: string, sets: readonly (readonly string[])[]) {
  let calls = 0;
  const end = interceptAwsCalls((call, send) => {
    if (call.action === "TransactWriteItems" && call.body.includes(owner)) calls++;
    return send();
  });
  const outcomes = await Promise.allSettled(
    sets.map((entries) =>
      transactTogether(
        dynamo,
        entries.map((entry) =>
          table.putWrite(
            { owner, entry },
            {
              ConditionExpression: "attribute_not_exists(#owner)",
              ExpressionAttributeNames: { "#owner": "owner" },
              onRejected: () => new Error(`${entry} is taken`),
            },
          ),
        ),
      ),
    ),
  );
  end();
  const stored: unknown[] = [];
  for await (const { entry } of table.query(owner)) stored.push(entry);
  return {
    calls,
    stored,
    outcomes: outcomes.map((outcome) => (outcome.status === "fulfilled" ? "done" : outcome.reason.message)),
  };
}

it("transactTogether commits sets of one turn in one transaction", async () => {
  expect(await commit(randomUUID(), [["a", "b"], ["c"]])).toEqual({
    calls: 1,
    stored: ["a", "b", "c"],
    outcomes: ["done", "done"],
  });
});

it("transactTogether gives each set its own outcome when one of them fails, all or nothing", async () => {
  const owner = randomUUID();
  await commit(owner, [["b"]]);
  expect(await commit(owner, [["a"], ["b", "c"], ["d"]])).toEqual({
    calls: 4,
    stored: ["a", "b", "d"],
    outcomes: ["done", "b is taken", "done"],
  });
});

it("transactTogether decides between sets that write the same item", async () => {
  const { stored, outcomes } = await commit(randomUUID(), [["a"], ["a"]]);
  expect(stored).toEqual(["a"]);
  expect(outcomes.toSorted()).toEqual(["a is taken", "done"]);
});

it("transactTogether reports no set as refused when all may have been committed", async () => {
  const owner = randomUUID();
  const faults = Array.from({ length: 6 }, () => "answer-lost" as const);
  const endFaults = injectFaults(({ action, body }) =>
    action === "TransactWriteItems" && body.includes(owner) ? faults.shift() : undefined,
  );
  const { stored, outcomes } = await commit(owner, [["a"], ["b"]]).finally(endFaults);
  expect(stored).toEqual(["a", "b"]);
  expect(outcomes).toEqual(["UnknownError", "UnknownError"]);
});

it("transactTogether splits sets that do not fit into one transaction", async () => {
  const sets = Array.from({ length: 3 }, (_, set) =>
    Array.from({ length: 50 }, (_, entry) => `${set}-${entry}`),
  );
  const { calls, stored } = await commit(randomUUID(), sets);
  expect([calls, stored.length]).toEqual([2, 150]);
});
