import type { GroupInfo } from "#shared/devices/mls/group-info.ts";
import { type Commit, decodeMlsMessages, type PublicMessage } from "#shared/devices/mls/mls-message.ts";
import { maxAnswerBytes } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { decoded, protocolError } from "./protocol-error.ts";

/** The upload of a device: a commit, with the data about the new epoch that others need. */
export interface CommitBundle {
  readonly message: PublicMessage;
  readonly commit: Commit;
  readonly groupInfo: GroupInfo;
  /** The group info, as everybody who asks for it gets it: clients expect it without the framing of a message. */
  readonly groupInfoBytes: Buffer;
  /** The welcome, as added devices get it. */
  readonly welcome: Buffer | undefined;
}

/** Maximum size, because answers contain it in base64. */
const maxGroupInfoBytes = (maxAnswerBytes * 3) / 4;

/**
 * Read the parts of a bundle, which may have any order.
 * @throws ApiError `mls-protocol-error`, `mls-unsupported-message`, `body-too-large`
 */
export function readBundle(bytes: Buffer): CommitBundle {
  const parts = decoded(() => decodeMlsMessages(bytes));
  const ofKind = <Kind extends (typeof parts)[number]["kind"]>(kind: Kind) =>
    parts.filter((part): part is Extract<(typeof parts)[number], { kind: Kind }> => part.kind === kind);
  const groupInfos = ofKind("group-info");
  const welcomes = ofKind("welcome");
  const messages = parts.filter((part) => part.kind === "public" || part.kind === "private");
  const [message, ...furtherMessages] = messages;
  const [info, ...furtherInfos] = groupInfos;
  const isWhole = furtherMessages.length === 0 && furtherInfos.length === 0 && welcomes.length <= 1;
  if (message === undefined || info === undefined || !isWhole || ofKind("key-package").length > 0)
    throw protocolError("A bundle has one commit, one group info and at most one welcome");
  if (message.kind === "private" || message.content.type !== "commit")
    throw new ApiError("mls-unsupported-message", { message: "The commit has to be a public message" });
  if (info.bytes.length > maxGroupInfoBytes)
    throw new ApiError("body-too-large", { message: "The group info is too large" });
  return {
    message,
    commit: message.content.commit,
    groupInfo: info.groupInfo,
    groupInfoBytes: info.groupInfo.bytes,
    welcome: welcomes[0]?.bytes,
  };
}
