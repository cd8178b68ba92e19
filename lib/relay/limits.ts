/** The port of a relay, and the path by which a load balancer asks whether it accepts new sockets. */
export const relayPort = 8080;
export const healthPath = "/health";

/** Sockets that one relay holds; it refuses further handshakes with 503. */
export const maxSockets = 40_000;

/** Concurrent uploads of a relay: each needs some 6 MB, all together a third of its memory. */
export const mostUploads = (memoryMegabytes: number): number => Math.floor(memoryMegabytes / 20);

/** Largest frame from a client, as with API Gateway. */
export const maxMessageBytes = 128 * 1024;

/** Time over which a relay that shuts down tells its clients to reconnect; a task has two minutes to end. */
export const defaultDrainSeconds = 90;

/** Counted on emulators: DynamoDB's units for closing a socket without a device, and for opening another one. */
export const writeUnitsPerSocket = 11;
