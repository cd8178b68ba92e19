import type { Account } from "./account.ts";

/** What is kept of a deleted account forever, so that its id never means somebody else. */
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
