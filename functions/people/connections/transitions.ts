import type { ConnectionStatus } from "#shared/conversations/connections/connection.ts";

/** Status of a connection on either side, as one of the users sees it. */
export interface Sides {
  readonly own: ConnectionStatus;
  readonly other: ConnectionStatus;
}

/** The next status of both sides; or no change; or a refusal. */
export type Decision = (Sides & { readonly isSilent?: boolean }) | "unchanged" | "refused";

/** Status after a request between users who have no connection yet. */
export const firstRequest: Sides = { own: "sent", other: "pending" };

const bothAccepted: Sides = { own: "accepted", other: "accepted" };

/** Only legal hold moves a connection out of this state. */
const isHeld = ({ own, other }: Sides) =>
  own === "missing-legalhold-consent" || other === "missing-legalhold-consent";

/**
 * Decide what a request changes if a connection already exists. A user who has blocked the acting user is not notified.
 */
export function decideRequest(sides: Sides): Decision {
  const { own, other } = sides;
  if (isHeld(sides) || own === "blocked") return "refused";
  if (other === "blocked")
    return own === "accepted" || own === "sent" ? "unchanged" : { own: "sent", other, isSilent: true };
  if (own === "accepted" && other === "accepted") return "unchanged";
  return other === "sent" || other === "accepted" ? bothAccepted : firstRequest;
}

/** Decide what changes when the acting user requests another status of their own side. */
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
      // The other side may have blocked meanwhile, and stays blocked.
      return { own: "accepted", other: other === "blocked" ? "blocked" : "accepted" };
    case "blocked":
      return unblock(other);
    case "sent":
      return other === "sent" || other === "accepted" ? bothAccepted : "refused";
    default:
      return "refused";
  }
}

/** Back to `accepted` if the other side has accepted or sent a request, otherwise to the request that awaits an answer. */
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
