import { parse, stringify } from "uuid";
import { chunks } from "#shared/platform/chunks.ts";

/** A device in a group. */
export interface Leaf {
  readonly userId: string;
  readonly clientId: string;
  /** Whether the service has proposed to remove it: until a commit does, it gets nothing and may not send. */
  readonly isLeaving?: boolean;
}

/** Devices of a group by leaf index (RFC 9420 §7.7); absent: blank. */
export type Leaves = ReadonlyMap<number, Leaf>;

/** The effect of a commit on the devices of a group. */
export interface LeafChange {
  readonly removed: readonly number[];
  readonly added: readonly Leaf[];
}

/** Applies a commit: removals first, then each addition takes the lowest free leaf (RFC 9420 §12.4.2). */
export function changeLeaves(leaves: Leaves, { removed, added }: LeafChange): Map<number, Leaf> {
  const next = new Map(leaves);
  for (const index of removed) next.delete(index);
  let index = 0;
  for (const leaf of added) {
    while (next.has(index)) index++;
    next.set(index, leaf);
  }
  return next;
}

/** Marks devices that the service proposes to remove. */
export function markLeaving(leaves: Leaves, indices: readonly number[]): Map<number, Leaf> {
  const next = new Map(leaves);
  for (const index of indices) {
    const leaf = leaves.get(index);
    if (leaf !== undefined) next.set(index, { ...leaf, isLeaving: true });
  }
  return next;
}

/** Marks devices that have left by themselves. */
export function markDeparted(
  leaves: Leaves,
  departures: readonly Pick<Leaf, "userId" | "clientId">[],
): Leaves {
  const indices = departures.flatMap((device) => leafOf(leaves, device) ?? []);
  return indices.length === 0 ? leaves : markLeaving(leaves, indices);
}

/** Devices that are not about to be removed, by user. */
export function devicesByUser(leaves: Pick<Leaves, "values">): Map<string, string[]> {
  const byUser = new Map<string, string[]>();
  for (const { userId, clientId, isLeaving } of leaves.values()) {
    if (isLeaving) continue;
    const devices = byUser.get(userId);
    if (devices === undefined) byUser.set(userId, [clientId]);
    else devices.push(clientId);
  }
  return byUser;
}

/** The leaf of a device that is not about to be removed. */
export function leafOf(leaves: Leaves, device: Pick<Leaf, "userId" | "clientId">): number | undefined {
  for (const [index, { userId, clientId, isLeaving }] of leaves)
    if (userId === device.userId && clientId === device.clientId && !isLeaving) return index;
  return undefined;
}

/** Leaves in one part, as the store keeps them: some six kilobytes, so that a commit rewrites little. */
const leavesPerPart = 256;
/** State, user id, device id. */
const leafBytes = 1 + 16 + 8;
const states = { blank: 0, present: 1, leaving: 2 };

/** Encodes leaves in parts of equal numbers, of which the last may be shorter. */
export function encodeLeaves(leaves: Leaves): Buffer[] {
  const width = Math.max(-1, ...leaves.keys()) + 1;
  const indices = Array.from({ length: width }, (_, index) => index);
  return chunks(indices, leavesPerPart).map((part) =>
    Buffer.concat(part.map((index) => encodeLeaf(leaves.get(index)))),
  );
}

function encodeLeaf(leaf: Leaf | undefined): Buffer {
  const bytes = Buffer.alloc(leafBytes);
  if (leaf === undefined) return bytes;
  bytes.writeUInt8(leaf.isLeaving ? states.leaving : states.present);
  bytes.set(parse(leaf.userId), 1);
  bytes.writeBigUInt64BE(BigInt(`0x${leaf.clientId}`), 17);
  return bytes;
}

/** Decodes parts in their order. */
export function decodeLeaves(parts: readonly Uint8Array[]): Leaves {
  const leaves = new Map<number, Leaf>();
  for (const [number, part] of parts.entries()) {
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    for (let offset = 0; offset < bytes.length; offset += leafBytes) {
      const state = bytes.readUInt8(offset);
      if (state === states.blank) continue;
      leaves.set(number * leavesPerPart + offset / leafBytes, {
        userId: stringify(bytes, offset + 1),
        clientId: bytes.readBigUInt64BE(offset + 17).toString(16),
        ...(state === states.leaving && { isLeaving: true }),
      });
    }
  }
  return leaves;
}
