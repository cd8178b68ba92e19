/** What has happened, as sockets and `GET /notifications` show it. */
export interface Notification {
  /** Unique for a person; compared as text. */
  readonly id: string;
  readonly payload: readonly ServiceEvent[];
  /** Whether it is sent to sockets only, and not kept. */
  readonly transient?: boolean;
}

/** The events that most clients handle, by type. `docs/events.md` has all. */
export interface Events {
  "user.update": { readonly user: { readonly id: string; readonly name?: string; readonly handle?: string } };
  "user.delete": { readonly id: string; readonly qualified_id: QualifiedId };
  "user.connection": { readonly connection: Connection; readonly user?: { readonly name: string } };
  "user.client-add": { readonly client: { readonly id: string; readonly type: string } };
  "user.client-remove": { readonly client: { readonly id: string } };
  "conversation.create": ConversationEvent<{
    readonly qualified_id: QualifiedId;
    readonly name?: string | null;
  }>;
  "conversation.rename": ConversationEvent<{ readonly name: string }>;
  "conversation.delete": ConversationEvent<null>;
  "conversation.member-join": ConversationEvent<{
    readonly users: readonly { readonly qualified_id: QualifiedId; readonly conversation_role: string }[];
  }>;
  "conversation.member-leave": ConversationEvent<{
    readonly reason: "left" | "removed" | "user-deleted";
    readonly qualified_user_ids: readonly QualifiedId[];
  }>;
  "conversation.typing": ConversationEvent<{ readonly status: "started" | "stopped" }>;
  /** `text` is the ciphertext for the device `recipient`, in base64. */
  "conversation.otr-message-add": ConversationEvent<{
    readonly sender: string;
    readonly recipient: string;
    readonly text: string;
    readonly data: string;
  }>;
  /** An MLSMessage in base64, and so is a Welcome. */
  "conversation.mls-message-add": ConversationEvent<string>;
  "conversation.mls-welcome": ConversationEvent<string>;
}

/** An event, which its `type` tells apart. There are more types: ignore those that you do not know. */
export type ServiceEvent = { [Type in keyof Events]: { readonly type: Type } & Events[Type] }[keyof Events];

interface QualifiedId {
  readonly domain: string;
  readonly id: string;
}

/** The person's side of a connection. */
interface Connection {
  readonly qualified_to: QualifiedId;
  readonly status:
    | "accepted"
    | "blocked"
    | "pending"
    | "ignored"
    | "sent"
    | "cancelled"
    | "missing-legalhold-consent";
  readonly qualified_conversation: QualifiedId;
}

interface ConversationEvent<Data> {
  readonly qualified_conversation: QualifiedId;
  /** The part of an MLS conversation that it is about, such as a call. */
  readonly subconv?: string;
  readonly qualified_from: QualifiedId;
  /** Ascends within a conversation. */
  readonly time: string;
  readonly data: Data;
}
