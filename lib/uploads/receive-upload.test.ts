import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { receiveUpload, uploadTimes } from "./receive-upload.ts";

const server = createServer((arriving, response) => {
  const [, path = ""] = (arriving.url ?? "").split("/");
  handlers
    .get(path)?.(arriving)
    .then(
      (text) => response.end(text),
      (error) => response.destroy(error),
    );
});
const handlers = new Map<string, (request: IncomingMessage) => Promise<string>>();
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Open a request whose body the test writes. */
function send(path: string, handler: (request: IncomingMessage) => Promise<string>) {
  handlers.set(path, handler);
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: "127.0.0.1", method: "POST", path: `/${path}` });
  sent.on("error", () => undefined);
  return sent;
}

const answerTo = async (sent: ReturnType<typeof send>): Promise<string> => {
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return (await buffer(answer)).toString();
};

/** Read all of a body. @returns its length, or the error that ends it */
async function outcomeOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  let bytes = 0;
  try {
    for await (const chunk of content) bytes += chunk.length;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.error;
  }
  return String(bytes);
}

describe("a body that arrives", () => {
  it("is read to its end", async () => {
    const sent = send("whole", (arriving) => outcomeOf(receiveUpload(arriving).content));
    sent.write(Buffer.alloc(100_000));
    sent.end(Buffer.alloc(1));
    expect(await answerTo(sent)).toBe("100001");
  });

  it("is incomplete when its client goes away", async () => {
    const outcome = Promise.withResolvers<string>();
    const sent = send("gone", async (arriving) => {
      setImmediate(() => sent.destroy());
      outcome.resolve(outcomeOf(receiveUpload(arriving).content));
      return "";
    });
    sent.write(Buffer.alloc(1000));
    expect(await outcome.promise).toBe("incomplete-body");
  });

  it("is incomplete when its client falls silent, but the client still gets an answer", async () => {
    const sent = send("silent", (arriving) =>
      outcomeOf(receiveUpload(arriving, { times: { ...uploadTimes, idle: 0.05 } }).content),
    );
    sent.write(Buffer.alloc(1000));
    expect(await answerTo(sent)).toBe("incomplete-body");
    sent.destroy();
  });

  it("is incomplete when it takes too long, although bytes keep arriving", async () => {
    const sent = send("long", (arriving) =>
      outcomeOf(receiveUpload(arriving, { times: { ...uploadTimes, longest: 0.2 } }).content),
    );
    const writing = setInterval(() => sent.write(Buffer.alloc(100)), 10);
    expect(await answerTo(sent)).toBe("incomplete-body");
    clearInterval(writing);
    sent.destroy();
  });

  it("is incomplete when its bytes arrive too slowly", async () => {
    const times = { ...uploadTimes, idle: 0.2, slowest: 50_000 };
    const sent = send("trickle", (arriving) => outcomeOf(receiveUpload(arriving, { times }).content));
    const writing = setInterval(() => sent.write(Buffer.alloc(1)), 10);
    expect(await answerTo(sent)).toBe("incomplete-body");
    clearInterval(writing);
    sent.destroy();
  });

  it("may take longer if its reader is slow", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const sent = send("awaited", async (arriving) => {
      const parts = receiveUpload(arriving).content[Symbol.asyncIterator]();
      await parts.next();
      vi.advanceTimersByTime(60_000);
      setTimeout(() => sent.write(Buffer.alloc(1)), 10);
      await parts.next();
      setTimeout(() => sent.end(), 50);
      return outcomeOf({ [Symbol.asyncIterator]: () => parts });
    });
    sent.write(Buffer.alloc(300));
    expect(await answerTo(sent)).toBe("0");
  });

  it("ends with the reason of a signal", async () => {
    const ending = new AbortController();
    const sent = send("ended", (arriving) => {
      const outcome = outcomeOf(receiveUpload(arriving, { signal: ending.signal }).content);
      ending.abort(new ApiError("service-unavailable"));
      return outcome;
    });
    sent.write(Buffer.alloc(1000));
    expect(await answerTo(sent)).toBe("service-unavailable");
    sent.destroy();
  });

  it("can be dropped after any number of its bytes: its connection then takes the next request", async () => {
    for (const readsOne of [false, true]) {
      const body = Promise.withResolvers<number>();
      const sent = send(`dropped-${readsOne}`, async (arriving) => {
        const { content, dropRest } = receiveUpload(arriving);
        if (readsOne) await content[Symbol.asyncIterator]().next();
        setImmediate(dropRest);
        arriving.once("end", () => body.resolve(0));
        return "refused";
      });
      sent.write(Buffer.alloc(300_000));
      expect(await answerTo(sent)).toBe("refused");
      sent.end(Buffer.alloc(3_000_000));
      await body.promise;
    }
  });

  it("is cut off when a refused client keeps sending for too long", async () => {
    const sent = send("endless", async (arriving) => {
      setImmediate(receiveUpload(arriving, { times: { ...uploadTimes, refused: 0.05 } }).dropRest);
      return "refused";
    });
    sent.write(Buffer.alloc(1000));
    expect(await answerTo(sent)).toBe("refused");
    await once(sent, "close");
  });
});
