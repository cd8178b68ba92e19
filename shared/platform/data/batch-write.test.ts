import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { createDynamo } from "./dynamo.ts";
import { Table } from "./table.ts";

const config = { tableName: (name: string) => `test-${name}`, settings: parseSettings({}) };
const properties = new Table({ dynamo: createDynamo(), config }, "properties");

it("a batch write of many items sends only a few of its requests at once", async () => {
  const owner = randomUUID();
  const items = Array.from({ length: 2000 }, (_, index) => ({ owner, entry: `${index}` }));
  const requests = { sent: 0, current: 0, most: 0 };
  const end = interceptAwsCalls((call, send) => {
    if (!call.body.includes(owner)) return send();
    requests.sent++;
    requests.most = Math.max(requests.most, ++requests.current);
    return send().finally(() => requests.current--);
  });
  await properties.putMany(items).finally(end);
  expect(requests).toEqual({ sent: 80, current: 0, most: 64 });
  expect(await properties.getMany(items)).toHaveLength(2000);
});
