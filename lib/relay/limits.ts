/** Where a relay listens, and the path by which a load balancer asks whether it takes new sockets. */
export const relayPort = 8080;
export const healthPath = "/health";

/** Sockets that one relay holds; it refuses further handshakes with 503. */
export const maxSockets = 40_000;

/** Uploads that a relay takes at the same time: each takes some 6 MB, and all of them a third of its memory. */
export const mostUploads = (memoryMegabytes: number): number => Math.floor(memoryMegabytes / 20);

/** Largest frame of a client, as at API Gateway. */
export const maxMessageBytes = 128 * 1024;

/** Time over which a relay that ends tells its clients to reconnect; a task gets two minutes to end. */
export const defaultDrainSeconds = 90;

/** Counted on emulators: what DynamoDB charges for closing a socket without a device, and for opening another one. */
export const writeUnitsPerSocket = 11;
