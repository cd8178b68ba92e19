import { parseToken } from "#shared/sessions/tokens/token.ts";
import type { Exchange, LoggedRequest, Payload } from "../../gateway/request-log.ts";
import type { RequestDetail, RequestSummary, ShownBody } from "../wire.ts";
import { hideInJson, hideInPath, hideInQuery, hideInText } from "./hide-secrets.ts";
import { hintFor } from "./hint-for.ts";
import { oauthErrorOf } from "./oauth-error-of.ts";
import type { Trace } from "./trace-log.ts";

/** The summary of a request in the list. */
export function summarise({ exchange, ...summary }: LoggedRequest): RequestSummary {
  const body = exchange?.reply?.body;
  // Not only a status from 400: the page that ends a login refuses users with the status 200, and apps learn of a
  // refusal from a redirect.
  const path = hideInPath(summary.path);
  const label = summary.status >= 400 ? labelIn(body) : pageLabelIn(body);
  return { ...summary, path, label: oauthErrorOf(exchange)?.error ?? label };
}

/** Whether a browser made the request by itself, for something that no page refers to, such as an icon. */
export const isAskedByBrowser = ({ path, status }: Pick<LoggedRequest, "path" | "status">): boolean =>
  status === 404 && /^\/(favicon\.ico|apple-touch-icon[\w-]*\.png|\.well-known\/appspecific\/.*)$/.test(path);

/** One line about a refused request, for a terminal. */
export function lineOf(request: LoggedRequest): string {
  const { status, method, path, label } = summarise(request);
  const hint = hintFor(request);
  const line = [status, method, path, ...(label === undefined ? [] : [label])].join(" ");
  return hint === undefined ? line : `${line}: ${hint}`;
}

/** Describe a request with all of its effects so far. */
export function describeRequest(request: LoggedRequest, trace: Trace): RequestDetail {
  const { exchange } = request;
  const [, query = ""] = exchange?.url.split(/\?(.*)/s) ?? [];
  return {
    ...summarise(request),
    operation: operationIn(trace),
    caller: exchange === undefined ? "a socket" : callerOf(request.api, exchange),
    query: hideInQuery(query),
    requestBody: exchange && show(exchange.body, exchange.headers["content-type"] ?? ""),
    answerBody: exchange?.reply && show(exchange.reply.body, exchange.reply.contentType),
    canBeRepeated: canBeRepeated(request),
    hint: hintFor(request),
    ...trace,
  };
}

const repeatable = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

/** Whether the request is known completely, so that it can be sent again. */
export const canBeRepeated = ({ method, exchange }: LoggedRequest): boolean =>
  repeatable.test(method) &&
  exchange !== undefined &&
  exchange.body.content !== undefined &&
  exchange.reply !== undefined;

/** Pages of logins contain the label in their title, from which clients read it. */
const pageLabel = /<title>[^<]*:error:([\w-]+)<\/title>/;

function labelIn(body: Payload | undefined): string | undefined {
  const { label, error, scimType } = Object(parseJson(body?.content));
  const named = [label, error, scimType].find((name) => typeof name === "string");
  return named ?? pageLabelIn(body);
}

const pageLabelIn = (body: Payload | undefined): string | undefined =>
  pageLabel.exec(String(body?.content ?? ""))?.[1];

/** The label in the function's line of the log. */
function operationIn({ lines }: Trace): string | undefined {
  return lines.map((line) => Object(parseJson(line)).operation).find((name) => typeof name === "string");
}

function callerOf(api: LoggedRequest["api"], { headers }: Exchange): string {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  const cookies = (headers.cookie ?? "").split(/;\s*/).map((pair) => pair.replace(/^[^=]*=/, ""));
  const token = [bearer ?? "", ...cookies].map(parseToken).find((parsed) => parsed !== undefined);
  const callers = [
    ...(api === "internal" ? ["the operator"] : []),
    ...(token === undefined ? [] : [nameOf(token)]),
    ...(headers["z-user"] === undefined ? [] : [`as user ${headers["z-user"]}`]),
  ];
  if (callers.length > 0) return callers.join(" ");
  return bearer === undefined ? "nobody" : "an app or a directory, by a token";
}

function nameOf(token: NonNullable<ReturnType<typeof parseToken>>): string {
  if (token.type === "bot") return `bot ${token.botId}`;
  if (token.type === "provider") return `provider ${token.providerId}`;
  return `user ${token.userId}${token.clientId === undefined ? "" : `, device ${token.clientId}`}`;
}

const json = /^[^;]*[/+]json\b/i;
const form = /^application\/x-www-form-urlencoded\b/i;
const text = /^text\/plain\b/i;
const mls = /^message\/mls\b/i;

function show({ bytes, content }: Payload, type: string): ShownBody {
  return { type, bytes, text: content && readable(content, type) };
}

/** Only types whose secrets can be hidden. */
function readable(content: Buffer, type: string): string | undefined {
  if (content.length === 0) return undefined;
  if (mls.test(type)) return content.toString("base64");
  if (form.test(type)) return hideInQuery(content.toString());
  if (text.test(type)) return hideInText(content.toString());
  const parsed = json.test(type) ? parseJson(content) : undefined;
  return parsed === undefined ? undefined : JSON.stringify(hideInJson(parsed), null, 2);
}

function parseJson(content: Buffer | string | undefined): unknown {
  try {
    return content === undefined ? undefined : JSON.parse(String(content));
  } catch {
    return undefined;
  }
}
