import type { Account } from "./account.ts";

/** What stays of a deleted account: its id, so that it is never given out again, and nothing about its owner. */
export const tombstoneOf = ({ userId, revision, sessionEpoch, createdAt, locale }: Account): Account => ({
  userId,
  revision,
  status: "deleted",
  name: "default",
  accentId: 0,
  assets: [],
  picture: [],
  locale,
  supportedProtocols: ["proteus"],
  managedByScim: false,
  sessionEpoch,
  createdAt,
});
