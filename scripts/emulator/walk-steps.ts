import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";

/** Time that a mail or an event may take: the first run of each function starts a process. */
const patienceMilliseconds = 60_000;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the walk asserts on whatever came
  readonly body: any;
}

export interface Request {
  readonly method?: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls the public API of a deployment, by a path. */
export type Api = (path: string, request?: Request) => Promise<Answer>;

export async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const start = Date.now();
  try {
    const result = await run();
    console.log(`ok    ${name} (${Date.now() - start} ms)`);
    return result;
  } catch (error) {
    console.log(`FAIL  ${name}`);
    throw error;
  }
}

export async function call(url: string, { json, headers, method }: Request = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: method ?? (json === undefined ? "GET" : "POST"),
    headers: { ...headers, ...(json !== undefined && { "content-type": "application/json" }) },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  return answerOf(response);
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson =
    /^application\/(scim\+)?json/.test(response.headers.get("content-type") ?? "") && text !== "";
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`Expected ${status}, but got ${answer.status}: ${JSON.stringify(answer.body)}`);
}

export async function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + patienceMilliseconds;
  while (Date.now() < deadline) {
    const result = await read();
    if (result !== undefined) return result;
    await wait(500);
  }
  throw new Error(`Not within ${patienceMilliseconds} ms`);
}

export async function withSocket(url: string, use: (socket: WebSocket) => Promise<void>): Promise<void> {
  const socket = new WebSocket(url, { handshakeTimeout: patienceMilliseconds });
  try {
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    await use(socket);
  } finally {
    socket.terminate();
  }
}

/** The next matching frame; subscribed to immediately. */
export function next(socket: WebSocket, isWanted: (frame: string) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`No such frame within ${patienceMilliseconds} ms`));
    const timer = setTimeout(late, patienceMilliseconds);
    socket.on("message", (data) => {
      if (!isWanted(String(data))) return;
      clearTimeout(timer);
      resolve();
    });
  });
}
