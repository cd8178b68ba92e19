import { BrokenChainError } from "#shared/platform/audit/chain-file.ts";
import { AuditVerifier } from "#shared/platform/audit/verifier.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

/** Time for one run; the next one continues. */
const runMilliseconds = 240_000;

/** Verifies the next chains of a round. @throws BrokenChainError, so that its alarm fires, once the round has gone on */
export function createHandler({ clock, log, verifier }: Deps) {
  return async (): Promise<void> => {
    const startedAt = clock();
    const verified = await verifier.run(() => clock() - startedAt >= runMilliseconds);
    if (verified.length === 0) return;
    const files = verified.reduce((sum, one) => sum + one.files, 0);
    log.info("audit-verified", { chains: verified.length, files });
    const broken = verified.filter(({ problem }) => problem !== undefined);
    for (const { chain, problem } of broken) log.error("audit-chain-broken", { chain, problem });
    if (broken.length > 0)
      throw new BrokenChainError(`Broken chains: ${broken.map(({ chain }) => chain).join(" ")}`);
  };
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ verifier: AuditVerifier });
