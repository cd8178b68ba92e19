import type { Prekey } from "#shared/devices/prekey.ts";
import { lastPrekey, newPrekeys } from "./prekeys.ts";
import { startTlsService, type TlsService, type TlsServiceOptions } from "./tls-service.ts";

/** A legal hold service as a team would run it. */
export interface LegalHoldService extends TlsService {
  /** Keys of the devices that it has made, the newest last. */
  readonly devices: readonly { prekeys: Prekey[]; last_prekey: Prekey }[];
}

export interface LegalHoldServiceOptions extends TlsServiceOptions {
  /** Versions that it supports; if absent, only the first, like a service that does not know about versions. */
  readonly supported?: readonly number[];
}

/** Start a legal hold service. */
export async function startLegalHoldService({
  supported,
  ...options
}: LegalHoldServiceOptions = {}): Promise<LegalHoldService> {
  const devices: { prekeys: Prekey[]; last_prekey: Prekey }[] = [];
  const service = await startTlsService(options, ({ path }) => {
    if (path === "/api-version") return supported ? { body: { supported } } : { status: 404 };
    if (!path.endsWith("/initiate")) return {};
    const device = { prekeys: newPrekeys(3), last_prekey: lastPrekey() };
    devices.push(device);
    return { body: device };
  });
  return Object.assign(service, { devices });
}
