import { createHash, randomBytes, randomInt } from "node:crypto";
import { encodeMlsMessage, type MLSMessage, type Proposal } from "ts-mls";
import { describe, expect, it } from "vitest";
import { newKeyPackage, newSigner } from "../../../test/support/key-packages.ts";
import { cipherSuites } from "./cipher-suites.ts";
import { decodeMlsMessage, decodeMlsMessages, proposalReference } from "./mls-message.ts";
import { encodeOpaque, MalformedStructureError } from "./tls-reader.ts";

const groupId = Buffer.from("group");
const pskId = {
  psktype: "external",
  pskId: randomBytes(8),
  pskNonce: randomBytes(32),
} as const;
const extensions = [{ extensionType: 0x0a0a, extensionData: randomBytes(70) }];

/** Proposals of all kinds that need no key package. */
const proposals: Readonly<Record<string, Proposal>> = {
  remove: { proposalType: "remove", remove: { removed: 70_000 } },
  psk: { proposalType: "psk", psk: { preSharedKeyId: pskId } },
  reinit: {
    proposalType: "reinit",
    reinit: {
      groupId,
      version: "mls10",
      cipherSuite: "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519",
      extensions,
    },
  },
  "external-init": { proposalType: "external_init", externalInit: { kemOutput: randomBytes(32) } },
  "group-context-extensions": {
    proposalType: "group_context_extensions",
    groupContextExtensions: { extensions },
  },
};

const publicMessage = (content: object, auth: object = {}): Buffer =>
  Buffer.from(
    encodeMlsMessage({
      wireformat: "mls_public_message",
      version: "mls10",
      publicMessage: {
        content: {
          groupId,
          epoch: 2n ** 63n,
          sender: { senderType: "member", leafIndex: 3 },
          authenticatedData: randomBytes(5),
          ...content,
        },
        auth: { signature: randomBytes(64), ...auth },
        senderType: "member",
        membershipTag: randomBytes(32),
      },
    } as unknown as MLSMessage),
  );
const proposalMessage = (proposal: Proposal) =>
  publicMessage({ contentType: "proposal", proposal }, { contentType: "proposal" });
const commitMessage = () =>
  publicMessage(
    {
      contentType: "commit",
      commit: {
        proposals: [
          ...Object.values(proposals).map((proposal) => ({ proposalOrRefType: "proposal", proposal })),
          { proposalOrRefType: "reference", reference: randomBytes(32) },
        ],
        path: undefined,
      },
    },
    { contentType: "commit", confirmationTag: randomBytes(32) },
  );
const privateMessage = (contentType: "application" | "commit") =>
  Buffer.from(
    encodeMlsMessage({
      wireformat: "mls_private_message",
      version: "mls10",
      privateMessage: {
        groupId,
        epoch: 1n,
        contentType,
        authenticatedData: Buffer.alloc(0),
        encryptedSenderData: randomBytes(20),
        ciphertext: randomBytes(70_000),
      },
    }),
  );

const isDecodable = (bytes: Buffer) => {
  try {
    decodeMlsMessage(bytes);
    return true;
  } catch (error) {
    if (error instanceof MalformedStructureError) return false;
    throw error;
  }
};

describe("decoding a public message from another implementation", () => {
  it.each(Object.entries(proposals))("reads a proposal of the kind %s", (kind, proposal) => {
    const bytes = proposalMessage(proposal);
    expect(decodeMlsMessage(bytes)).toMatchObject({
      kind: "public",
      groupId,
      epoch: 2n ** 63n,
      sender: { type: "member", leafIndex: 3 },
      content: { type: "proposal", proposal: { kind } },
      bytes,
    });
  });

  it("reads a commit with proposals of all kinds, and one with a reference", () => {
    const message = decodeMlsMessage(commitMessage());
    if (message.kind !== "public" || message.content.type !== "commit") throw new Error("Not a commit");
    const kinds = message.content.commit.proposals.map((one) =>
      "proposal" in one ? one.proposal.kind : "reference",
    );
    expect(kinds).toEqual([...Object.keys(proposals), "reference"]);
    expect(message.confirmationTag).toHaveLength(32);
    expect(message.content.commit.pathLeaf).toBeUndefined();
  });

  it("computes references over the authenticated content", () => {
    const bytes = proposalMessage(proposals.remove as Proposal);
    const message = decodeMlsMessage(bytes);
    const suite = cipherSuites.get(1);
    if (message.kind !== "public" || suite === undefined) throw new Error("Not a public message");
    // Neither the version nor the membership tag, which has 32 bytes and a length.
    const authenticated = bytes.subarray(2, -33);
    const label = encodeOpaque(Buffer.from("MLS 1.0 Proposal Reference"));
    const expected = createHash("sha256").update(label).update(encodeOpaque(authenticated)).digest();
    expect(proposalReference(message, suite)).toEqual(expected);
  });
});

describe("decoding messages", () => {
  it("reads private messages, and several messages in a row", async () => {
    const [text, commit] = [privateMessage("application"), privateMessage("commit")];
    expect(decodeMlsMessage(text)).toMatchObject({ kind: "private", isApplication: true });
    const keyPackage = Buffer.concat([
      Buffer.from("00010005", "hex"),
      await newKeyPackage({ signer: newSigner() }),
    ]);
    const all = decodeMlsMessages(Buffer.concat([text, commit, keyPackage]));
    expect(all.map(({ kind }) => kind)).toEqual(["private", "private", "key-package"]);
    expect(all.map(({ bytes }) => bytes)).toEqual([text, commit, keyPackage]);
  });

  it("refuses more messages than a bundle has", () => {
    const text = privateMessage("application");
    expect(decodeMlsMessages(Buffer.concat(Array(4).fill(text)))).toHaveLength(4);
    expect(() => decodeMlsMessages(Buffer.concat(Array(5).fill(text)))).toThrow(MalformedStructureError);
  });

  it("refuses every truncation, trailing bytes, and unknown kinds", () => {
    const bytes = commitMessage();
    expect(isDecodable(bytes)).toBe(true);
    expect(Array.from(bytes, (_, length) => bytes.subarray(0, length)).filter(isDecodable)).toEqual([]);
    expect(isDecodable(Buffer.concat([bytes, Buffer.of(0)]))).toBe(false);
    for (const format of [0, 6, 0xffff]) {
      const other = Buffer.from(bytes);
      other.writeUInt16BE(format, 2);
      expect(isDecodable(other)).toBe(false);
    }
  });

  it("throws nothing but MalformedStructureError for damaged bytes, and returns quickly", () => {
    const originals = [
      commitMessage(),
      ...Object.values(proposals).map(proposalMessage),
      privateMessage("commit"),
    ];
    const startedAt = performance.now();
    for (let round = 0; round < 20_000; round++) {
      const damaged = Buffer.from(originals[round % originals.length] as Buffer);
      for (let change = randomInt(1, 4); change > 0; change--)
        damaged[randomInt(Math.min(damaged.length, 1000))] = randomInt(256);
      isDecodable(round % 2 === 0 ? damaged : damaged.subarray(0, randomInt(damaged.length)));
    }
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
