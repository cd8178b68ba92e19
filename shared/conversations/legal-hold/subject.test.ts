import { expect, it } from "vitest";
import type { Account } from "#shared/accounts/account.ts";
import { legalHoldStatus, type Member } from "#shared/teams/member.ts";
import { changeStatus } from "./subject.ts";

const stores = {
  accounts: { save: () => [] },
  teams: { changeLegalHoldStatus: () => ({ item: {} }) },
} as unknown as Parameters<typeof changeStatus>[0];

const leads = (from: Member["legalHoldStatus"], to: Member["legalHoldStatus"]): boolean => {
  const subject = { account: {} as Account, member: {} as Member, status: from };
  try {
    return changeStatus(stores, subject, to).length > 0;
  } catch (error) {
    expect(error).toMatchObject({ error: "legalhold-illegal-op" });
    return false;
  }
};

it("a legal hold status changes only as the interface lists", () => {
  const statuses = legalHoldStatus.options;
  const allowed = statuses.flatMap((from) =>
    statuses.filter((to) => leads(from, to)).map((to) => `${from} to ${to}`),
  );
  expect(allowed.sort()).toEqual([
    "disabled to pending",
    "enabled to disabled",
    "no_consent to disabled",
    "pending to disabled",
    "pending to enabled",
    "pending to pending",
  ]);
});
