import { expect, it } from "vitest";
import { toDeviceView, toNestedDeviceView } from "./device-view.ts";

const [consent, consumable] = ["legalhold-implicit-consent", "consumable-notifications"] as const;
const device = {
  clientId: "c0ffee",
  type: "permanent" as const,
  capabilities: [consent, consumable],
  mlsPublicKeys: {},
  registeredAt: 0,
};

it.each([
  [6, [consent]],
  [7, [consent]],
  [8, [consent, consumable]],
  [9, [consent, consumable]],
] as const)("shows version %i the capabilities that it has", (version, capabilities) => {
  expect(toDeviceView(device, version).capabilities).toEqual(capabilities);
});

it("a device shows nested capabilities, without newer ones, in events and before version 7", () => {
  expect(toNestedDeviceView(device).capabilities).toEqual({ capabilities: [consent] });
});

it("a device shows when it was last active, without milliseconds", () => {
  const lastActiveAt = 2900 * 604_800_000;
  expect(toDeviceView({ ...device, lastActiveAt }, 8).last_active).toBe("2025-07-31T00:00:00Z");
});
