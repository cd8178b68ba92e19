import type { SocketMode } from "#lib/local/instance.ts";

/** What holds the sockets in this run of a test file: those about sockets run once for each kind. */
export const socketMode = (): SocketMode => (process.env.SOCKETS === "relay" ? "relay" : "gateway");
