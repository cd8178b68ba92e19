import type { PushPriority } from "#shared/events/push/native-push.ts";

/** Ciphertexts in base64, by user and device. */
export type Ciphertexts = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Strategies for a message that lacks devices. */
export type Strategy =
  | { readonly kind: "report-all" | "ignore-all" }
  | { readonly kind: "report-only" | "ignore-only"; readonly users: ReadonlySet<string> };

/** A message, whatever its form. */
export interface Message {
  /** Id of the sending device. */
  readonly sender: string;
  readonly recipients: Ciphertexts;
  /** Addressed devices of other domains, which cannot be reached, by domain and user. */
  readonly remoteRecipients: DevicesByDomain;
  /** Data that all recipients get in addition to their ciphertexts, in base64; may be empty. */
  readonly blob: string;
  /** Whether it goes to open sockets only. */
  readonly isTransient: boolean;
  /** How urgently to wake devices that no socket reaches. */
  readonly push: PushPriority | "none";
  readonly strategy: Strategy;
}

/** Ids of devices. */
export type DevicesByUser = Record<string, string[]>;
export type DevicesByDomain = Record<string, DevicesByUser>;

/** Whether a user's devices are required. */
export function requiresDevicesOf(strategy: Strategy, userId: string): boolean {
  switch (strategy.kind) {
    case "report-all":
      return true;
    case "ignore-all":
      return false;
    case "report-only":
      return strategy.users.has(userId);
    case "ignore-only":
      return !strategy.users.has(userId);
  }
}

/** A flag for everybody or nobody, or the ids of the users to whom it applies. */
export type MissingRule = boolean | readonly string[];

/** The places where an unqualified message can name a strategy. */
interface StrategyInputs {
  /** In the body. */
  readonly reportMissing: readonly string[] | undefined;
  readonly query: { readonly ignoreMissing?: MissingRule; readonly reportMissing?: MissingRule };
}

/**
 * The strategy of an unqualified message: the body takes precedence over `ignore_missing`, and that over
 * `report_missing`.
 */
export function strategyOf({ reportMissing, query }: StrategyInputs): Strategy {
  if (reportMissing !== undefined) return { kind: "report-only", users: new Set(reportMissing) };
  const { ignoreMissing: ignored, reportMissing: reported } = query;
  if (typeof ignored === "object") return { kind: "ignore-only", users: new Set(ignored) };
  if (ignored !== undefined) return { kind: ignored ? "ignore-all" : "report-all" };
  if (typeof reported === "object") return { kind: "report-only", users: new Set(reported) };
  return { kind: reported === false ? "ignore-all" : "report-all" };
}
