import { AuditStore, type VerificationRound } from "./audit-store.ts";
import { AuditReader, type FilePlace, type ReaderContext } from "./reader.ts";
import { ChainVerifier, filesOf, type Verification } from "./verify-chain.ts";

/** Time from the end of a round to the beginning of the next. */
const pauseMilliseconds = 86_400_000;
const earliest = "2000-01-01T00";

interface VerifiedChain extends Verification {
  readonly chain: string;
}

/** Verifies all chains, round after round; each run continues where the previous one stopped. */
export class AuditVerifier {
  readonly #store: AuditStore;
  readonly #reader: AuditReader;
  readonly #clock: ReaderContext["clock"];

  constructor(context: ReaderContext) {
    this.#store = new AuditStore(context);
    this.#reader = new AuditReader(context);
    this.#clock = context.clock;
  }

  /** @returns the result for each verified chain; nothing within a day after the end of a round */
  async run(isTimeUp: () => boolean): Promise<readonly VerifiedChain[]> {
    const known = await this.#store.verificationRound();
    const now = new Date(this.#clock()).toISOString();
    const { finishedAt } = known ?? {};
    if (finishedAt !== undefined && Date.parse(finishedAt) + pauseMilliseconds > this.#clock()) return [];
    let round: VerificationRound =
      known === undefined || finishedAt !== undefined ? { startedAt: now } : known;
    const verified: VerifiedChain[] = [];
    while (!isTimeUp()) {
      const chain =
        round.last === undefined
          ? (await this.#reader.chains({ after: round.chain, limit: 1 }))[0]
          : round.chain;
      if (chain === undefined) {
        round = { ...round, finishedAt: new Date(this.#clock()).toISOString() };
        break;
      }
      const { last, ...verification } = await this.#verify(chain, round.last, isTimeUp);
      verified.push({ chain, ...verification });
      round = { startedAt: round.startedAt, chain, ...(last !== undefined && { last }) };
    }
    await this.#store.noteVerified(round);
    return verified;
  }

  /** @returns `last`: where to continue if time ran out */
  async #verify(
    chain: string,
    since: VerificationRound["last"],
    isTimeUp: () => boolean,
  ): Promise<Verification & { last?: VerificationRound["last"] }> {
    const verifier = new ChainVerifier(since);
    const readPage = async (start?: FilePlace) => {
      const { isCut, ...page } = await this.#reader.files(chain, { from: earliest, start });
      return { ...page, is_cut: isCut };
    };
    let end: { file: number; hash: string } | undefined;
    const pages = filesOf(readPage, since && { after: since.name });
    for await (const { texts, head, next, isCut } of pages) {
      for (const text of texts) {
        const problem = verifier.add(text);
        if (problem !== undefined) return { ...verifier.verified, problem };
      }
      end = head;
      const { last } = verifier;
      if (next !== undefined && !isCut && last !== undefined && isTimeUp())
        return { ...verifier.verified, last: { ...last, name: next.after } };
    }
    const problem = verifier.end(end);
    return { ...verifier.verified, ...(problem !== undefined && { problem }) };
  }
}
