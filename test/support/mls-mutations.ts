import fc from "fast-check";

/** A message to damage, with its parts: a bundle has several, a message one. */
export interface MutationTarget {
  readonly parts: readonly Buffer[];
}

const mutation = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: fc.nat(), bit: fc.nat(7), times: fc.nat(3) }),
  fc.record({ kind: fc.constant("truncate" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("repeat" as const), at: fc.nat(), length: fc.nat(200), times: fc.nat(40) }),
  fc.record({ kind: fc.constant("delete" as const), at: fc.nat(), length: fc.integer({ min: 1, max: 100 }) }),
  // Lengths up to 2^30 - 1, lengths in more bytes than needed, and numbers at their limits.
  fc.record({
    kind: fc.constant("number" as const),
    at: fc.nat(),
    bytes: fc.constantFrom("bfffffff", "80ffffff", "80000000", "7fff", "4000", "c0", "00000000", "ffffffff"),
  }),
  // The sender's leaf of a public message, whose group id has the usual length.
  fc.record({ kind: fc.constant("leaf" as const), leaf: fc.oneof(fc.nat(8), fc.nat(0xffff_ffff)) }),
  fc.record({ kind: fc.constant("order" as const), order: fc.array(fc.nat(4), { maxLength: 5 }) }),
  fc.record({ kind: fc.constant("swap" as const), part: fc.nat(2), other: fc.nat(), of: fc.nat(2) }),
  fc.record({ kind: fc.constant("noise" as const), bytes: fc.uint8Array({ maxLength: 300 }) }),
  fc.record({ kind: fc.constant("splice" as const), other: fc.nat(), at: fc.nat(), from: fc.nat() }),
);

/** A way to damage a message. */
export type Mutation = ReturnType<typeof newMutations>[number];

/** Ways to damage messages, always the same for a seed. */
export const newMutations = (seed: number, count: number) => fc.sample(mutation, { seed, numRuns: count });

/** Damage a message. @param others from which parts may be taken */
export function mutate(
  { parts }: MutationTarget,
  change: Mutation,
  others: readonly MutationTarget[],
): Buffer<ArrayBuffer> {
  const bytes = Buffer.concat(parts);
  const position = (at: number) => at % (bytes.length + 1);
  const otherParts = (other: number) => others[other % others.length]?.parts ?? [];
  switch (change.kind) {
    case "flip":
      for (let time = 0; time <= change.times; time++) {
        const at = (change.at + time * 7919) % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << change.bit), at);
      }
      return bytes;
    case "truncate":
      return bytes.subarray(0, position(change.at));
    case "repeat": {
      const [start, end] = [position(change.at), position(change.at) + change.length];
      const slice = bytes.subarray(start, end);
      const copies = Array.from({ length: change.times + 1 }, () => slice);
      return Buffer.concat([bytes.subarray(0, start), ...copies, bytes.subarray(end)]);
    }
    case "delete":
      return Buffer.concat([
        bytes.subarray(0, position(change.at)),
        bytes.subarray(position(change.at) + change.length),
      ]);
    case "number":
      Buffer.from(change.bytes, "hex").copy(bytes, change.at % bytes.length);
      return bytes;
    case "leaf":
      bytes.writeUInt32BE(change.leaf, Math.min(leafPosition(bytes), bytes.length - 4));
      return bytes;
    case "order":
      return Buffer.concat(change.order.map((part) => parts[part % parts.length] ?? Buffer.alloc(0)));
    case "swap": {
      const donor = otherParts(change.other);
      const swapped = donor[change.of % Math.max(1, donor.length)] ?? Buffer.alloc(0);
      return Buffer.concat(
        parts.map((part, index) => (index === change.part % parts.length ? swapped : part)),
      );
    }
    case "noise":
      return Buffer.from(change.bytes);
    case "splice": {
      const donor = Buffer.concat(otherParts(change.other));
      return Buffer.concat([
        bytes.subarray(0, position(change.at)),
        donor.subarray(change.from % (donor.length + 1)),
      ]);
    }
  }
}

/** After version, wire format, group id with its length, epoch and type of sender. */
function leafPosition(bytes: Buffer): number {
  const lengthBytes = (bytes[4] ?? 0) >> 6 === 1 ? 2 : 1;
  const length = lengthBytes === 2 ? bytes.readUInt16BE(4) & 0x3fff : (bytes[4] ?? 0);
  return 4 + lengthBytes + length + 8 + 1;
}
