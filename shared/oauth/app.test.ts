import { describe, expect, it } from "vitest";
import { type App, isRegistered } from "./app.ts";

const app = (redirectUrl: string, furtherRedirectUrls?: string[]) =>
  ({ redirectUrl, furtherRedirectUrls }) as App;

describe("a redirect URL", () => {
  const registered = "https://app.example.com/callback";

  it("is registered when it is exactly one of the app's", () => {
    const urls = app("https://app.example.com/", [registered, "com.example.app:/cb"]);
    for (const url of ["https://app.example.com/", registered, "com.example.app:/cb"])
      expect(isRegistered(urls, url), url).toBe(true);
    expect(isRegistered(urls, `${registered}/`)).toBe(false);
  });

  it.each([
    "https://app.example.com/callback/",
    "https://app.example.com/callback/x",
    "https://app.example.com/callback/../evil",
    "https://app.example.com/callbackx",
    "https://app.example.com/callback?",
    "https://app.example.com/callback?x=y",
    "https://app.example.com/callback?next=https://evil.example.com",
    "https://app.example.com/callback#",
    "https://app.example.com/callback#x",
    "https://app.example.com/Callback",
    "https://app.example.com/%63allback",
    "https://app.example.com/x/../callback",
    "https://app.example.com/callback%2f..%2fx",
    "https://app.example.com//callback",
    "https://app.example.com/",
    "https://app.example.com",
    "https://app.example.com:443/callback",
    "https://app.example.com:8443/callback",
    "https://APP.example.com/callback",
    "HTTPS://APP.EXAMPLE.COM/CALLBACK",
    "HTTPS://app.example.com/callback",
    "http://app.example.com/callback",
    "https://app.example.com./callback",
    "https://app.example.com.evil.example/callback",
    "https://evil.example/app.example.com/callback",
    "https://evil.example/?https://app.example.com/callback",
    "https://sub.app.example.com/callback",
    "https://user@app.example.com/callback",
    "https://app.example.com@evil.example/callback",
    "https://app.example.com%2f@evil.example/callback",
    "https://evil.example.com@app.example.com/callback",
    "https://\u0430pp.example.com/callback",
    "https://app\u3002example.com/callback",
    "https://app.example.com\u2044callback",
    "https:\\\\app.example.com\\callback",
    "https:app.example.com/callback",
    "//app.example.com/callback",
    "/callback",
    "",
    " https://app.example.com/callback",
    "https://app.example.com/callback ",
    "https://app.example.com/\tcallback",
    "https://app.example.com/callback\r\nX-Evil: 1",
    "https://app.example.com/callback\u0000",
    "https://app.example.com/callback,https://evil.example/",
    "javascript:alert(1)",
    "javascript:alert(1)//",
    "data:text/html,x",
  ])("is not registered when it only resembles the app's: %j", (url) => {
    expect(isRegistered(app(registered), url)).toBe(false);
  });

  it.each([
    ["http://127.0.0.1:7777/cb", "http://127.0.0.1:7778/cb"],
    ["http://127.0.0.1:7777/cb", "http://127.0.0.1/cb"],
    ["http://127.0.0.1:7777/cb", "http://localhost:7777/cb"],
    ["http://[::1]:7777/cb", "http://[::1]:7778/cb"],
    ["http://[::1]:7777/cb", "http://[0:0:0:0:0:0:0:1]:7777/cb"],
    ["http://[::1]:7777/cb", "http://[::]:7777/cb"],
    ["http://localhost/cb", "http://LOCALHOST/cb"],
    ["http://localhost/cb", "http://localhost:80/cb"],
    ["http://localhost/cb", "http://localhost./cb"],
    ["com.example.app:/cb", "com.example.app:/cb/"],
    ["com.example.app:/cb", "com.example.app://cb"],
    ["com.example.app:/cb", "com.example.app:cb"],
  ])("of an app on a device can be %s, but not %s", (url, other) => {
    expect([url, other].map((one) => isRegistered(app(url), one))).toEqual([true, false]);
  });
});
