import { beforeAll, describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { conversationData } from "../../support/conversations.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

const path = "/conversation-join/?key=nJR2ZpFAuX2m6nYJ4HsV&code=A9FdVqzZ4cTzVqwsYH1c";
const browse = (target: string, language = "en") =>
  fetch(new URL(target, sharedStack().publicUrl), {
    headers: { accept: "text/html,*/*;q=0.8", "accept-language": language },
  });

/** Texts that are not the word of a link; most are attempts to lead elsewhere. */
const badWords = [
  "",
  "a b",
  "a/b",
  "//evil.example",
  "https://evil.example",
  "a%0d%0ax:y",
  "<b>",
  "a".repeat(65),
];

describe.concurrent("the page of guest links", () => {
  it("is the address of new links", async () => {
    const admin = await newUser();
    const { id } = await conversationData().newConversation([admin], { access: ["invite", "code"] });
    const { body } = await api("POST", `/v8/conversations/${id}/code`, { token: admin.token, json: {} });
    const answer = await browse(body.data.uri);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("<h1>Join a conversation</h1>");
  });

  it.each([
    ["en", "Join a conversation"],
    ["de-CH", "An einer Unterhaltung teilnehmen"],
    ["es", "Únase a una conversación"],
    ["fr", "Rejoignez une conversation"],
  ])("is in the language of the browser (%s)", async (language, title) => {
    const answer = await browse(path, language);
    expect(await answer.text()).toContain(`<h1>${title}</h1>`);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it.each([path, path.replace("/?", "?"), `/v0${path}`, `/v8${path}`, `/v8${path.replace("/?", "?")}`])(
    "is at %s",
    async (target) => {
      expect((await api("GET", target)).status).toBe(200);
      expect((await api("HEAD", target)).status).toBe(200);
    },
  );

  it("explains why other links are refused, without repeating them", async () => {
    for (const word of badWords) {
      for (const query of [`key=${word}&code=x`, `key=x&code=${word}`]) {
        const answer = await browse(`/conversation-join/?${query}`);
        expect(answer.status, query).toBe(400);
        const text = await answer.text();
        expect(text).toContain("This link is incomplete.");
        expect(text).not.toMatch(/<b>|evil/);
      }
    }
    expect(outcome(await api("GET", "/conversation-join/"))).toBe("400 bad-request");
    expect(outcome(await api("POST", path))).toBe("405 method-not-allowed");
    expect(outcome(await api("GET", `/conversation-join/x?key=x&code=x`))).toBe("404 no-endpoint");
  });
});

describe.concurrent("the page of guest links in an installation with a web app", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith({ webAppUrl: "https://app.example.com/chat?lang=en&key=own" });
  });

  it("leads to the web app", async () => {
    const { status, headers } = await stack.publicApi("GET", path);
    expect([status, headers.get("location")]).toEqual([
      302,
      "https://app.example.com/chat/join/?lang=en&key=nJR2ZpFAuX2m6nYJ4HsV&code=A9FdVqzZ4cTzVqwsYH1c",
    ]);
  });

  it("redirects to no other address", async () => {
    for (const word of badWords) {
      const answer = await stack.publicApi(
        "GET",
        `/conversation-join/?key=${encodeURIComponent(word)}&code=x`,
      );
      expect(outcome(answer), word).toBe("400 bad-request");
      expect(answer.headers.get("location")).toBeNull();
    }
    const more = await stack.publicApi("GET", `${path}&url=https://evil.example&code=second`);
    expect(new URL(more.headers.get("location") ?? "").host).toBe("app.example.com");
  });
});
