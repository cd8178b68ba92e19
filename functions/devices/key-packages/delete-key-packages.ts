import { createHash } from "node:crypto";
import type { Deps } from "./deps.ts";
import { checkOwnDevice, type OwnDevice } from "./own-device.ts";
import { servedSuite } from "./served-suite.ts";

/**
 * Delete key packages of one of the caller's devices by their references; unknown ones are ignored.
 *
 * @throws ApiError `mls-protocol-error`, `mls-identity-mismatch`
 * @see operation `mls-key-packages-delete`
 */
export async function deleteKeyPackages(
  deps: Deps,
  own: OwnDevice,
  suite: number,
  references: readonly Buffer[],
): Promise<void> {
  const { hash } = servedSuite(suite);
  await checkOwnDevice(deps, own);
  const { length } = createHash(hash).digest();
  const possible = references.filter((reference) => reference.length === length);
  await deps.keyPackages.remove(
    { ...own, suite },
    possible.map((reference) => reference.toString("base64url")),
  );
}
