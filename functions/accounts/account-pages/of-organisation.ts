import type { Account } from "#shared/accounts/account.ts";

/** Whether an organisation created the account or lets its user in. If so, only the organisation may delete it. */
export const isOfOrganisation = ({ managedByScim, samlIdentity }: Account): boolean =>
  managedByScim || samlIdentity !== undefined;
