import { expect, it } from "vitest";
import { gather } from "./gather.ts";
import { currentRequestId, onBehalfOf } from "./request-id.ts";

it("gathered requests are handled together, on behalf of none of them", async () => {
  const calls: { items: readonly string[]; requestId: string | undefined }[] = [];
  const add = gather<string>(async (items) => {
    calls.push({ items, requestId: currentRequestId() });
  });
  const ids = ["request-1", "request-2"];
  const after = ids.map((id) =>
    onBehalfOf(id, async () => {
      await add(id);
      return currentRequestId();
    }),
  );
  expect(await Promise.all(after)).toEqual(ids);
  expect(calls).toEqual([{ items: ids, requestId: undefined }]);
});
