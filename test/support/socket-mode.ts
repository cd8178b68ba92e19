import type { SocketMode } from "#lib/local/instance.ts";

/** The holder of sockets in this run of a test file: tests of sockets run once for each kind. */
export const socketMode = (): SocketMode => (process.env.SOCKETS === "relay" ? "relay" : "gateway");
