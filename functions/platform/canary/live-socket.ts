/** A socket of a device, and what has arrived at it. */
export interface LiveSocket {
  /** Resolves when a frame with this text has arrived. @throws Error when the socket or the signal ends before */
  received(text: string): Promise<void>;
  close(): void;
}

/** Maximum number of frames that are kept; only those of one run matter. */
const maxFrames = 100;

/**
 * Open a socket for live events.
 *
 * @param socketUrl base address of the sockets; with a path, it is that of API Gateway, which takes no other path
 * @throws Error when it does not open before the signal ends it
 */
export async function openSocket(
  socketUrl: string,
  { token, device }: { readonly token: string; readonly device: string },
  signal: AbortSignal,
): Promise<LiveSocket> {
  const socket = new WebSocket(addressOf(socketUrl, token, device));
  socket.binaryType = "arraybuffer";
  const frames: string[] = [];
  const arrived = new EventTarget();
  socket.addEventListener("message", ({ data }) => {
    frames.push(typeof data === "string" ? data : new TextDecoder().decode(data));
    if (frames.length > maxFrames) frames.shift();
    arrived.dispatchEvent(new Event("frame"));
  });
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: string) => reject(new Error(reason));
    socket.addEventListener("error", () => end("The socket failed"));
    socket.addEventListener("close", ({ code }) => end(`The socket was closed with ${code}`));
    signal.addEventListener("abort", () => {
      end("The socket was not served in time");
      socket.close();
    });
    if (signal.aborted) end("The socket was not opened in time");
  });
  // Everybody who waits for a frame learns of the end; if nobody waits, it is no failure.
  ended.catch(() => {});
  const opened = new Promise<void>((resolve) => socket.addEventListener("open", () => resolve()));
  try {
    await Promise.race([opened, ended]);
  } catch (error) {
    socket.close();
    throw error;
  }
  return {
    received: (text) => {
      const found = new Promise<void>((resolve) => {
        const look = () => {
          if (frames.some((frame) => frame.includes(text))) resolve();
        };
        arrived.addEventListener("frame", look);
        look();
      });
      return Promise.race([found, ended]);
    },
    close: () => socket.close(),
  };
}

function addressOf(socketUrl: string, token: string, device: string): URL {
  const address = new URL(socketUrl);
  if (address.pathname === "/") address.pathname = "/await";
  else address.searchParams.set("endpoint", "await");
  address.searchParams.set("access_token", token);
  address.searchParams.set("client", device);
  return address;
}
