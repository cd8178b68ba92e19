import type { Account } from "./account.ts";

/** The part of a deleted account that is kept forever, so that its id never refers to somebody else. */
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
