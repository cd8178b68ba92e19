import type { Account } from "./account.ts";

/** What stays for ever of a deleted account, so that its id means the same as before. */
export const tombstoneOf = ({
  userId,
  locale,
  sessionEpoch,
  createdAt,
}: Account): Omit<Account, "revision"> => ({
  userId,
  status: "deleted",
  name: "default",
  accentId: 0,
  assets: [],
  picture: [],
  locale,
  supportedProtocols: [],
  managedByScim: false,
  sessionEpoch: sessionEpoch + 1,
  createdAt,
});
