import { describe, expect, it } from "vitest";
import { type Device, type Devices, noDevices, removalsAfter, wasJustRemoved } from "./device.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const minute = 60_000;
const device: Omit<Device, "clientId"> = {
  type: "permanent",
  capabilities: [],
  mlsPublicKeys: {},
  registeredAt: now,
};
const devicesWith = (...ids: string[]): Devices => ({
  ...noDevices("1f1f1f1f-0000-4000-8000-000000000000"),
  devices: Object.fromEntries(ids.map((clientId) => [clientId, { ...device, clientId }])),
});
const remove = (devices: Devices, clientId: string, at: number): Devices => {
  const { [clientId]: _, ...others } = devices.devices;
  return { ...devices, devices: others, removals: removalsAfter(devices, others, at) };
};

describe("a removed device", () => {
  it("counts as just removed for a quarter of an hour, even when it is registered again", () => {
    const removed = remove(devicesWith("aa", "bb"), "aa", now);
    const again = { ...removed, devices: devicesWith("aa", "bb").devices };
    for (const devices of [removed, again, remove(again, "bb", now + 14 * minute)]) {
      expect(wasJustRemoved(devices, "aa", now + 14 * minute)).toBe(true);
      expect(wasJustRemoved(devices, "aa", now + 15 * minute)).toBe(false);
    }
    expect(wasJustRemoved(removed, "bb", now)).toBe(false);
  });

  it("is forgotten by the next change after that, and when many others have been removed since", () => {
    const ids = Array.from({ length: 33 }, (_, index) => `a${index}`);
    const all = devicesWith(...ids);
    expect(
      removalsAfter(remove(all, "a0", now), {}, now + 15 * minute).map(({ clientId }) => clientId),
    ).toEqual(ids.slice(1));
    expect(removalsAfter(all, {}, now).map(({ clientId }) => clientId)).toEqual(ids.slice(1));
  });
});
