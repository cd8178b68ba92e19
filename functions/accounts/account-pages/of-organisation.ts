import type { Account } from "#shared/accounts/account.ts";

/** Whether an organisation has created the account, or lets its user in: then it also decides about its end. */
export const isOfOrganisation = ({ managedByScim, samlIdentity }: Account): boolean =>
  managedByScim || samlIdentity !== undefined;
