import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import type { MlsClient, PreparedCommit } from "../../support/mls.ts";
import { followTo, newMlsGroupOf, newPeople, readUntil } from "../../support/mls-groups.ts";

/**
 * Limits on bodies that reach a function, and on answers and events, which contain group infos and messages in base64.
 */
const bodyLimit = 4_600_000;
const answerLimit = 5 * 1024 * 1024;
const eventLimit = 4 * 1024 * 1024;
const inBase64 = (limit: number) => (limit * 3) / 4;

/** Send a commit with a group info of so many bytes, most of which are in an extension. */
async function sendWithInfo(client: MlsClient, prepared: PreparedCommit, size: number) {
  const padded = (length: number) =>
    client.groupInfoOf(prepared.next, [{ extensionType: 0x0a0a, extensionData: new Uint8Array(length) }]);
  // Signatures of this suite and the prefixes of such lengths always take the same number of bytes.
  const overhead = (await padded(size - 10_000)).length - (size - 10_000);
  const groupInfo = await padded(size - overhead);
  expect(groupInfo).toHaveLength(size);
  return { answer: await client.send({ ...prepared, groupInfo }), groupInfo };
}

describe.concurrent("requests with MLS", () => {
  it("may have bodies of 4.6 MB, of which 3.9 MB are the group info, and larger ones are refused with a label", async () => {
    const [ada, bob] = await newPeople(2);
    const { id } = await newMlsGroupOf(ada, bob);
    const prepared = await ada.prepare();
    for (const size of [bodyLimit, inBase64(answerLimit) + 1])
      expect(outcome((await sendWithInfo(ada, prepared, size)).answer)).toBe("413 request-too-large");
    const accepted = await sendWithInfo(ada, prepared, inBase64(answerLimit));
    expect(outcome(accepted.answer)).toBe("201");
    await followTo(bob, 2);
    expect((await bob.groupInfo(id)).bytes?.equals(accepted.groupInfo)).toBe(true);
  });

  it("may have messages of some 3.1 MB, and a larger one changes nothing", async () => {
    const [ada, bob] = await newPeople(2);
    await newMlsGroupOf(ada, bob);
    const largest = inBase64(eventLimit);
    expect(outcome(await ada.write("x".repeat(largest)))).toBe("413 request-too-large");
    const text = "x".repeat(largest - 2000);
    expect(outcome(await ada.write(text))).toBe("201");
    await readUntil(bob, [text]);
  });
});
