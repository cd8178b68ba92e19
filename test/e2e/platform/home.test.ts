import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { stackWith } from "../../support/stack-with.ts";

const deepLink = {
  scheme: "acme",
  blackListURL: "https://clients.example.com/blacklist",
  teamsURL: "https://teams.example.com",
  accountsURL: "https://accounts.example.com",
  websiteURL: "https://www.example.com",
};
const own = await stackWith({ deepLink, webAppUrl: "https://app.example.com" });

describe("the page at the root", () => {
  it("links to the addresses of the service, in the reader's language", async () => {
    const headers = { "accept-language": "de", accept: "text/html" };
    const page = await own.publicApi("GET", "/", { headers });
    expect(page.status).toBe(200);
    expect(page.body).toContain("<h1>Der Dienst läuft</h1>");
    const links = [...page.body.matchAll(/href="([^"]+)"/g)].map(([, target]) => target);
    expect(links).toEqual([
      "https://app.example.com",
      "deeplink.html",
      "account/profile",
      "provider/page/account",
      "api/docs",
      "api/openapi.json",
      "api-version",
    ]);
    for (const path of links.slice(1)) expect(outcome(await own.publicApi("GET", `/${path}`))).toBe("200");
  });
});

describe("the account site that apps lead to", () => {
  it.each(["/forgot/", "/forgot", "/v8/forgot/"])(
    "leads to the page for a forgotten password: %s",
    async (path) => {
      const { status, headers } = await api("GET", path);
      const { pathname } = new URL(headers.get("location") ?? "");
      expect([status, pathname]).toEqual([302, "/password-reset/page/request"]);
      expect(outcome(await api("GET", pathname))).toBe("200");
    },
  );

  it("has links that open a profile", async () => {
    const id = "0190a5b8-0000-4000-8000-00000000000a";
    const linksAt = async (query: string) => {
      const { status, body } = await own.publicApi("GET", `/user-profile/?${query}`);
      expect(status).toBe(200);
      return [...body.matchAll(/href="([^"]+)"/g)].map(([, target]) => target);
    };
    expect(await linksAt(`id=${id}@other.example`)).toEqual([
      `acme://user/other.example/${id}`,
      `https://app.example.com/#/user/${id}/other.example`,
    ]);
    expect(await linksAt(`id=${id.toUpperCase()}`)).toEqual([
      `acme://user/parley.localhost/${id}`,
      `https://app.example.com/#/user/${id}/parley.localhost`,
    ]);
    const { body } = await api("GET", `/user-profile/?id=${id}`);
    expect(body).toContain(`href="svc://user/parley.localhost/${id}"`);
    expect(body).not.toContain("#/user");
  });

  it.each(["", "?id=1", "?id=%22%3E%3Cb%3E", "?id=0190a5b8-0000-4000-8000-00000000000a@a/b"])(
    "refuses an invalid profile: %s",
    async (query) => {
      expect(outcome(await api("GET", `/user-profile/${query}`))).toBe("400 bad-request");
    },
  );
});

describe("the deep link", () => {
  it("tells apps the addresses that the operator has set, and that of the API twice", async () => {
    const { status, body } = await own.publicApi("GET", "/deeplink.json");
    expect(status).toBe(200);
    const { scheme: _, ...addresses } = deepLink;
    const { backendURL, backendWSURL, ...others } = body.endpoints;
    expect(others).toEqual(addresses);
    expect(backendURL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect([body.title, backendWSURL]).toEqual(["Parley", backendURL]);
  });

  it("opens the app with the address of its configuration", async () => {
    const { body } = await own.publicApi("GET", "/deeplink.html");
    const { body: json } = await own.publicApi("GET", "/deeplink.json");
    const config = encodeURIComponent(`${json.endpoints.backendURL}/deeplink.json`);
    expect(body).toContain(`href="acme://access/?config=${config}"`);
  });

  it("is not found unless the operator has set it", async () => {
    expect(outcome(await api("GET", "/deeplink.json"))).toBe("404 not-found");
    expect(outcome(await api("GET", "/deeplink.html"))).toBe("404 not-found");
    expect((await api("GET", "/")).body).not.toContain("deeplink");
  });
});
