import type { ConnectionStatus } from "#shared/data/connection/connection.ts";

/** How two users stand to each other, as one of them sees it. */
export interface Sides {
  readonly own: ConnectionStatus;
  readonly other: ConnectionStatus;
}

/** What both sides become, or that nothing happens, or that it may not happen. */
export type Decision = (Sides & { readonly isSilent?: boolean }) | "unchanged" | "refused";

/** What a request makes of two users who have no connection yet. */
export const firstRequest: Sides = { own: "sent", other: "pending" };

const bothAccepted: Sides = { own: "accepted", other: "accepted" };

/** Legal hold alone moves a connection out of this state (spec heading Connections). */
const isHeld = ({ own, other }: Sides) =>
  own === "missing-legalhold-consent" || other === "missing-legalhold-consent";

/**
 * What a request to connect does where there is a connection already (spec heading Create). Who has blocked the
 * acting user is told nothing.
 */
export function decideRequest(sides: Sides): Decision {
  const { own, other } = sides;
  if (isHeld(sides) || own === "blocked") return "refused";
  if (other === "blocked")
    return own === "accepted" || own === "sent" ? "unchanged" : { own: "sent", other, isSilent: true };
  if (own === "accepted" && other === "accepted") return "unchanged";
  return other === "sent" || other === "accepted" ? bothAccepted : firstRequest;
}

/** What becomes of a connection whose own side is asked to take a state (spec heading Update). */
export function decideUpdate(sides: Sides, requested: ConnectionStatus): Decision {
  const { own, other } = sides;
  if (isHeld(sides)) return "refused";
  if (own === requested) return "unchanged";
  switch (requested) {
    case "blocked":
      return { own: "blocked", other };
    case "ignored":
      return own === "pending" ? { own: "ignored", other } : "refused";
    case "accepted":
      return accept(sides);
    case "sent":
      return own === "blocked" ? unblock(other) : "refused";
    case "cancelled":
      return own === "sent" ? cancel(other) : "refused";
    default:
      return "refused";
  }
}

function accept({ own, other }: Sides): Decision {
  switch (own) {
    case "pending":
    case "ignored":
      // Who has blocked meanwhile stays so.
      return { own: "accepted", other: other === "blocked" ? "blocked" : "accepted" };
    case "blocked":
      return unblock(other);
    case "sent":
      return other === "sent" || other === "accepted" ? bothAccepted : "refused";
    default:
      return "refused";
  }
}

/** Back to accepted where the other side has agreed or asked, and else to the request that waits for an answer. */
function unblock(other: ConnectionStatus): Decision {
  switch (other) {
    case "sent":
      return bothAccepted;
    case "accepted":
    case "blocked":
      return { own: "accepted", other };
    default:
      return { own: "sent", other };
  }
}

function cancel(other: ConnectionStatus): Decision {
  switch (other) {
    case "pending":
    case "ignored":
      return { own: "cancelled", other: "cancelled" };
    case "blocked":
    case "cancelled":
      return { own: "cancelled", other };
    default:
      return "refused";
  }
}
