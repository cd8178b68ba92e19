import { entranceHeaders, needlessCode } from "#shared/platform/http/entrance.ts";
import { preflightHeaders } from "./cors.ts";
import { socketPath, socketStage } from "./socket-paths.ts";

// Code of CloudFront functions (runtime cloudfront-js-2.0, which supports ECMAScript 5 and little more).

/**
 * Headers that no client can set. Functions trust them because of a secret, which CloudFront sends as a custom header
 * of the origin.
 */
const enter = `
function enter(event) {
  var headers = event.request.headers;
  headers["${entranceHeaders.viewer}"] = { value: event.viewer.ip };
  headers["${entranceHeaders.host}"] = { value: headers.host ? headers.host.value : "" };
  delete headers["${entranceHeaders.path}"];
  return event.request;
}
`.trim();

/** The headers of a preflight's answer as CloudFront takes them. */
const preflight = Object.fromEntries(
  Object.entries(preflightHeaders).map(([name, value]) => [name, { value }]),
);

const answerPreflight = (allowedOrigins: readonly string[]) =>
  `
var allowedOrigins = ${JSON.stringify(allowedOrigins)};

function answerPreflight(request) {
  var origin = request.headers.origin;
  var isPreflight = request.method === "OPTIONS" && request.headers["access-control-request-method"];
  if (!isPreflight || !origin || allowedOrigins.indexOf(origin.value) < 0) return undefined;
  var headers = ${JSON.stringify(preflight)};
  headers["access-control-allow-origin"] = { value: origin.value };
  var wanted = request.headers["access-control-request-headers"];
  if (wanted) headers["access-control-allow-headers"] = { value: wanted.value };
  return { statusCode: 204, statusDescription: "No Content", headers: headers };
}
`.trim();

/**
 * Passes on the path of a request in a header, because an HTTP API decodes paths: as it was sent, but without needless
 * percent-encoding. Answers preflights of allowed origins, because an HTTP API only allows a fixed list of headers.
 */
export const apiFunctionCode = (allowedOrigins: readonly string[]): string =>
  `
${answerPreflight(allowedOrigins)}

${enter}

function handler(event) {
  var answer = answerPreflight(event.request);
  if (answer) return answer;
  var request = enter(event);
  request.uri = request.uri.replace(${needlessCode}, decodeURIComponent);
  if (request.uri.indexOf("%") < 0) return request;
  if (/[^!-~]/.test(request.uri)) return { statusCode: 400, statusDescription: "Bad Request" };
  request.headers["${entranceHeaders.path}"] = { value: request.uri };
  request.uri = request.uri.replace(/%/g, "_");
  return request;
}
`.trim();

/** Turns the path of a socket into the stage of the WebSocket API and the query that `socketTarget` describes. */
export const socketFunctionCode = `
var socketPath = ${socketPath};

${enter}

function handler(event) {
  var request = enter(event);
  var match = socketPath.exec(request.uri);
  if (match === null) return { statusCode: 404, statusDescription: "Not Found" };
  request.uri = "/${socketStage}";
  request.querystring.endpoint = { value: match[2] === "events" ? "events" : "await" };
  if (match[1]) request.querystring.version = { value: encodeURIComponent(match[1]) };
  else delete request.querystring.version;
  return request;
}
`.trim();

/** Leaves the path of a socket alone: relays read it themselves. */
export const relayFunctionCode = `
${enter}

function handler(event) {
  return enter(event);
}
`.trim();

/** Passes an upload on to the relays, but answers its preflight, which they do not. */
export const uploadFunctionCode = (allowedOrigins: readonly string[]): string =>
  `
${answerPreflight(allowedOrigins)}

${enter}

function handler(event) {
  return answerPreflight(event.request) || enter(event);
}
`.trim();
