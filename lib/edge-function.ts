import { socketPath, socketStage } from "./socket-paths.ts";

/**
 * Code of the CloudFront function (runtime cloudfront-js-2.0, which knows ECMAScript 5 and little more) that turns the
 * path of a socket into the stage of the WebSocket API and the query parameters that `socketTarget` describes.
 */
export const edgeFunctionCode = `
var socketPath = ${socketPath};

function handler(event) {
  var request = event.request;
  var match = socketPath.exec(request.uri);
  if (match === null) return { statusCode: 404, statusDescription: "Not Found" };
  request.uri = "/${socketStage}";
  request.querystring.endpoint = { value: match[2] === "events" ? "events" : "await" };
  if (match[1]) request.querystring.version = { value: encodeURIComponent(match[1]) };
  else delete request.querystring.version;
  return request;
}
`.trim();
