import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { KeyPackage } from "#shared/devices/mls/key-package.ts";
import type { Proposal } from "#shared/devices/mls/proposal.ts";
import { checkProposals, maxAdditions, verifiedUnknown } from "./member-commit.ts";
import type { Addition } from "./verify.ts";

const device = (): Addition => ({ userId: randomUUID(), clientId: "1" }) as Addition;

/** Checks a commit that adds these devices. @returns its error, and how many signatures have been verified */
function check(devices: readonly Addition[], others: readonly Proposal[] = []) {
  const names = new Map(devices.map((one) => [{ suite: 1 } as KeyPackage, one]));
  const proposals = [...names.keys()].map((keyPackage): Proposal => ({ kind: "add", keyPackage }));
  let verified = 0;
  try {
    const { added, verifyOthers } = checkProposals([...proposals, ...others], new Map(), {
      read: (keyPackage) => names.get(keyPackage) ?? device(),
      verify: () => void verified++,
    });
    const early = verified;
    verifyOthers();
    return { added: added.length, early, verified };
  } catch (error) {
    return { message: (error as Error).message, verified };
  }
}

describe("the proposals of a commit", () => {
  it("have their signatures verified once for each device that they add", () => {
    expect(check(Array.from({ length: 300 }, device))).toMatchObject({ added: 300, verified: 300 });
  });

  it("have most signatures verified only once it is known that the devices may be added", () => {
    const many = Array.from({ length: maxAdditions }, device);
    expect(check(many)).toEqual({ added: maxAdditions, early: verifiedUnknown, verified: maxAdditions });
    expect(check(many.slice(0, 3))).toEqual({ added: 3, early: 3, verified: 3 });
  });

  it("are refused before any signature is verified when they repeat a device, add too many, or contain a wrong one", () => {
    const one = device();
    expect(check(Array(8000).fill(one))).toEqual({ message: "A commit adds a device twice", verified: 0 });
    expect(check(Array.from({ length: maxAdditions + 1 }, device))).toEqual({
      message: "A commit adds too many devices",
      verified: 0,
    });
    const [remove, again] = [1, 1].map((leafIndex): Proposal => ({ kind: "remove", leafIndex }));
    expect(check([one], [remove, again] as Proposal[])).toMatchObject({ verified: 0 });
  });
});
