import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { CanaryAccount } from "./canary-account.ts";
import { openSocket } from "./live-socket.ts";
import { PublicApi, UnexpectedAnswerError } from "./public-api.ts";

/** The steps of the canary, in order; metrics name a step. */
export const canarySteps = [
  "log-in",
  "access",
  "socket",
  "message",
  "upload",
  "download",
  "search",
  "log-out",
] as const;
type CanaryStep = (typeof canarySteps)[number];

export interface CanaryTarget {
  /** Base addresses, without trailing slash. */
  readonly publicUrl: string;
  readonly socketUrl: string;
  readonly account: CanaryAccount;
}

export interface CanaryRun {
  /** How long each successful step took. */
  readonly milliseconds: Readonly<Partial<Record<CanaryStep, number>>>;
  /** The step that failed, if one did; those after it have not been tried, except for cleaning up. */
  readonly failure?: { readonly step: CanaryStep; readonly error: Error };
}

/** A message or a request usually takes less than a second; a start adds one or two. */
const stepMilliseconds = 8000;
/** One run, however many steps are slow; cleaning up follows within one step's time. */
const runMilliseconds = 20_000;

const version = "/v8";

const session = z.object({ access_token: z.string() });
const uploaded = z.object({ key: z.string(), token: z.string(), domain: z.string() });
const found = z.object({ documents: z.array(z.object({ id: z.string() })) });

/**
 * Do what people do with an app: log in, get a token for the other device, open its socket, send it a message, upload a
 * file and download it, search, log out. Nothing it stores stays: session and file are removed even after a failure,
 * and the message expires with the notifications of the device.
 */
export async function runCanary({ publicUrl, socketUrl, account }: CanaryTarget): Promise<CanaryRun> {
  const milliseconds: Partial<Record<CanaryStep, number>> = {};
  const wholeRun = AbortSignal.timeout(runMilliseconds);
  const cleanUps: (() => unknown)[] = [];
  let current: CanaryStep = "log-in";

  async function step<Result>(
    name: CanaryStep,
    act: (api: PublicApi, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    current = name;
    const startedAt = performance.now();
    const signal = AbortSignal.any([wholeRun, AbortSignal.timeout(stepMilliseconds)]);
    const result = await act(new PublicApi(publicUrl, signal), signal);
    milliseconds[name] = performance.now() - startedAt;
    return result;
  }

  try {
    const { token, cookie } = await step("log-in", (api) => logIn(api, account));
    let isLoggedIn = true;
    const logOut = async (api: PublicApi) => {
      if (!isLoggedIn) return;
      isLoggedIn = false;
      await api.send(`${version}/access/logout`, { method: "POST", token, cookie, expects: [200] });
    };
    cleanUps.push(() => logOut(lastApi()));

    // Events do not come back to the connection that caused them, so the other device has a token of its own.
    const receiverToken = await step("access", (api) => renew(api, cookie));
    // The step has its own time to open it, but the socket stays for the next one.
    const device = { token: receiverToken, device: account.devices[1] };
    const socket = await step("socket", (_, signal) =>
      within(signal, openSocket(socketUrl, device, wholeRun)),
    );
    cleanUps.push(() => socket.close());
    await step("message", async (api, signal) => {
      const text = randomUUID();
      await sendMessage(api, { token, account, text });
      await within(signal, socket.received(Buffer.from(text).toString("base64")));
    });

    const content = randomUUID();
    const file = await step("upload", (api) => upload(api, { token, content }));
    cleanUps.push(() => remove(lastApi(), { token, file }));
    await step("download", async (api) => {
      if ((await download(api, { token, file })) !== content)
        throw new UnexpectedAnswerError("The file is not what was uploaded");
    });
    await step("search", (api) => search(api, { token, account }));
    await step("log-out", logOut);
    return { milliseconds };
  } catch (error) {
    return { milliseconds, failure: { step: current, error: error as Error } };
  } finally {
    // In reverse: the session is needed until the end. What cannot be removed now, expires.
    for (const cleanUp of cleanUps.toReversed()) await Promise.resolve(cleanUp()).catch(() => {});
  }

  function lastApi(): PublicApi {
    return new PublicApi(publicUrl, AbortSignal.timeout(stepMilliseconds / 4));
  }
}

async function logIn(api: PublicApi, { email, password }: CanaryAccount) {
  const json = { email, password };
  const { headers, text } = await api.send(`${version}/login`, { method: "POST", json, expects: [200] });
  const [cookie = ""] = headers.getSetCookie().map((header) => header.split(";")[0] ?? "");
  return { token: session.parse(JSON.parse(text)).access_token, cookie };
}

async function renew(api: PublicApi, cookie: string): Promise<string> {
  const { text } = await api.send(`${version}/access`, { method: "POST", cookie, expects: [200] });
  return session.parse(JSON.parse(text)).access_token;
}

interface Acting {
  readonly token: string;
}

/** In the conversation with oneself, whose id is that of the user. */
async function sendMessage(
  api: PublicApi,
  { token, account, text }: Acting & { account: CanaryAccount; text: string },
) {
  const { userId, devices } = account;
  const [sender, receiver] = devices;
  const ciphertext = Buffer.from(text).toString("base64");
  const json = { sender, recipients: { [userId]: { [receiver]: ciphertext } }, native_push: false };
  const path = `/conversations/${userId}/otr/messages`;
  await api.send(path, { method: "POST", token, json, expects: [201] });
}

interface UploadedFile {
  readonly path: string;
  readonly token: string;
}

async function upload(
  api: PublicApi,
  { token, content }: Acting & { content: string },
): Promise<UploadedFile> {
  const options = JSON.stringify({ public: false, retention: "volatile" });
  const part = (type: string, text: string) =>
    `--canary\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}\r\n`;
  const { text } = await api.send(`${version}/assets`, {
    method: "POST",
    token,
    contentType: "multipart/mixed; boundary=canary",
    body: `${part("application/json", options)}${part("application/octet-stream", content)}--canary--\r\n`,
    expects: [201],
  });
  const { key, domain, token: fileToken } = uploaded.parse(JSON.parse(text));
  return { path: `${version}/assets/${domain}/${key}`, token: fileToken };
}

async function download(api: PublicApi, { token, file }: Acting & { file: UploadedFile }): Promise<string> {
  const headers = { "asset-token": file.token };
  const answer = await api.send(file.path, { method: "GET", token, headers, expects: [302] });
  return api.download(answer.headers.get("location") ?? "");
}

const remove = (api: PublicApi, { token, file }: Acting & { file: UploadedFile }) =>
  api.send(file.path, { method: "DELETE", token, expects: [200] });

async function search(
  api: PublicApi,
  { token, account }: Acting & { account: CanaryAccount },
): Promise<void> {
  const { name, userId } = account.contact;
  const query = new URLSearchParams({ q: name, size: "5" });
  const { text } = await api.send(`${version}/search/contacts?${query}`, {
    method: "GET",
    token,
    expects: [200],
  });
  const { documents } = found.parse(JSON.parse(text));
  if (!documents.some(({ id }) => id === userId))
    throw new UnexpectedAnswerError("The search does not find the contact");
}

/** The result, unless the signal ends first. */
function within<Result>(signal: AbortSignal, result: Promise<Result>): Promise<Result> {
  const late = new Promise<never>((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  return Promise.race([result, late]);
}
