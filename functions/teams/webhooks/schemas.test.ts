import { describe, expect, it } from "vitest";
import { newWebhook } from "./routes.ts";

const kept = (url: string) => newWebhook.safeParse({ url, kinds: ["team.*"] }).data?.url;

describe("the address of a webhook", () => {
  it("is stored in printable characters, in the form that is called", () => {
    expect(kept("https://hooks.example.com/parley?key=a%20b")).toBe(
      "https://hooks.example.com/parley?key=a%20b",
    );
    expect(kept("https://b\u00fccher.example/\u001b[2J\u202e")).toBe(
      "https://xn--bcher-kva.example/%1B[2J%E2%80%AE",
    );
    expect(kept("https://hooks.example.com\\@10.0.0.1/")).toBe("https://hooks.example.com/@10.0.0.1/");
  });

  it.each(["http://example.com/", "https://user@example.com/", "https://example.com/#part", "javascript:1"])(
    "is not %s",
    (url) => {
      expect(kept(url)).toBeUndefined();
    },
  );
});
