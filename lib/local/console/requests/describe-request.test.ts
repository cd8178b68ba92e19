import { expect, test } from "vitest";
import { type LoggedRequest, payloadOf } from "../../gateway/request-log.ts";
import { describeRequest, isAskedByBrowser, lineOf } from "./describe-request.ts";

const userId = "eb25872c-d0a5-4cb4-a77e-3e85621e3819";
const token = `${"x".repeat(88)}.v=1.k=1.d=1795764911.t=a.l=.u=${userId}.i=1f.c=75`;
const noTrace = { calls: [], messages: [], lines: [] };

function logged(fields: {
  url?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  type?: string;
  answer?: string;
  location?: string;
  api?: LoggedRequest["api"];
  status?: number;
}): LoggedRequest {
  const {
    url = "/v9/self",
    headers = {},
    body = "",
    answer = "",
    type,
    location,
    api = "public",
    status = 200,
  } = fields;
  return {
    id: "1",
    at: "2026-11-27T08:00:00.000Z",
    api,
    method: "POST",
    path: url,
    status,
    milliseconds: 1,
    functionName: "self",
    exchange: {
      url,
      headers: { ...headers, ...(type && { "content-type": type }) },
      body: payloadOf(Buffer.from(body)),
      reply: { contentType: "application/json", body: payloadOf(Buffer.from(answer)), location },
    },
  };
}

test("a request is shown with caller, operation and label, but without secrets", () => {
  const request = logged({
    url: "/v9/login?persist=true&access_token=abc",
    headers: { authorization: `Bearer ${token}` },
    type: "application/json; charset=utf-8",
    body: JSON.stringify({ email: "ada@example.com", password: "correct horse" }),
    answer: JSON.stringify({ code: 403, label: "invalid-credentials" }),
    status: 403,
  });
  const line = JSON.stringify({ level: "INFO", operation: "login", requestId: "1" });
  const detail = describeRequest(request, { ...noTrace, lines: [line] });
  expect(detail).toMatchObject({
    operation: "login",
    label: "invalid-credentials",
    caller: `user ${userId}, device 1f`,
    query: "persist=true&access_token=[hidden]",
    canBeRepeated: true,
  });
  expect(JSON.parse(detail.requestBody?.text ?? "")).toEqual({
    email: "ada@example.com",
    password: "[hidden]",
  });
  expect(JSON.stringify(detail)).not.toMatch(/correct horse|xxxxx/);
});

test("a line about a refused request has its label, if any, and its hint, if any", () => {
  const answer = JSON.stringify({ code: 403, label: "invalid-credentials" });
  expect(lineOf(logged({ url: "/v9/login", answer, status: 403 }))).toBe(
    "403 POST /v9/login invalid-credentials",
  );
  expect(lineOf(logged({ url: "/v9/access", answer, status: 403 }))).toMatch(
    /^403 POST \/v9\/access invalid-credentials: Browsers and .+\.$/,
  );
  expect(lineOf(logged({ url: "/v9/self", answer: "", status: 504 }))).toBe("504 POST /v9/self");
});

test("bodies that cannot be searched for secrets are described only by type and size", () => {
  const multipart = logged({ type: "multipart/mixed; boundary=x", body: "--x secret" });
  expect(describeRequest(multipart, noTrace).requestBody).toEqual({
    type: "multipart/mixed; boundary=x",
    bytes: 10,
    text: undefined,
  });
  const broken = logged({ type: "application/json", body: '{"password":"x' });
  expect(describeRequest(broken, noTrace).requestBody?.text).toBeUndefined();
  const mls = logged({ type: "message/mls", body: Buffer.of(0, 1, 0, 2) });
  expect(describeRequest(mls, noTrace).requestBody?.text).toBe("AAEAAg==");
});

test("a large body is neither kept nor repeated", () => {
  const request = logged({ type: "application/json", body: JSON.stringify("x".repeat(20_000)) });
  const detail = describeRequest(request, noTrace);
  expect(detail.requestBody).toEqual({ type: "application/json", bytes: 20_002, text: undefined });
  expect(detail.canBeRepeated).toBe(false);
});

test("callers without a token of a user are named, too", () => {
  const callerOf = (fields: Parameters<typeof logged>[0]) => describeRequest(logged(fields), noTrace).caller;
  expect(callerOf({})).toBe("nobody");
  expect(callerOf({ headers: { cookie: `a=b; zuid=${token.replace("t=a", "t=u")}` } })).toMatch(/^user eb25/);
  expect(callerOf({ headers: { authorization: "Bearer abc" } })).toBe("an app or a directory, by a token");
  expect(callerOf({ api: "internal", headers: { "z-user": userId } })).toBe(`the operator as user ${userId}`);
});

test.each([200, 400])(
  "the page of a login that was refused with %i is shown with the label in its title",
  (status) => {
    const answer = "<!DOCTYPE html><html><head><title>svc:sso:error:bad-response-xml</title></head></html>";
    expect(describeRequest(logged({ answer, status }), noTrace)).toMatchObject({ label: "bad-response-xml" });
    const success = answer.replace("error:bad-response-xml", "success");
    expect(describeRequest(logged({ answer: success, status }), noTrace).label).toBeUndefined();
  },
);

test("a refused OAuth request is shown with the error and the reason that the app gets", () => {
  const answer = JSON.stringify({
    ...{ error: "invalid_grant", error_description: "The code is unknown, used or expired" },
    ...{ code: 404, label: "not-found" },
  });
  expect(lineOf(logged({ url: "/v9/oauth/token", answer, status: 404 }))).toBe(
    "404 POST /v9/oauth/token invalid_grant: The code is unknown, used or expired",
  );
  const location =
    "https://app.example.com/?error=invalid_scope&error_description=scope%3A+is+missing&state=s";
  expect(lineOf(logged({ url: "/authorize", location, status: 302 }))).toBe(
    "302 POST /authorize invalid_scope: scope: is missing",
  );
  const code = "https://app.example.com/?code=c0de&state=s";
  expect(lineOf(logged({ url: "/authorize", location: code, status: 302 }))).toBe("302 POST /authorize");
});

test.each([
  ["/favicon.ico", 404, true],
  ["/apple-touch-icon-precomposed.png", 404, true],
  ["/.well-known/appspecific/devtools.json", 404, true],
  ["/favicon.ico", 500, false],
  ["/v9/favicon.ico", 404, false],
  ["/self", 404, false],
])("whether a browser requests %s by itself, if the status is %i: %s", (path, status, isAsked) => {
  expect(isAskedByBrowser({ path, status })).toBe(isAsked);
});
