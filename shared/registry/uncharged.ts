/** Why an operation costs no daily budget of bytes by its row (ADR 36). */
export const uncharged = {
  itself: { none: "Its use case charges what it stores." },
  nothing: { none: "It stores nothing." },
  content: { none: "Messages have limits of their own, of which the gateway's throttle is one." },
  protection: { none: "It protects the user, or takes something back, which is never refused." },
  bounded: { none: "It replaces what it has stored before, or adds to a few." },
} as const satisfies Record<string, { readonly none: string }>;
