import { describe, expect, it } from "vitest";
import { hostName } from "./address-types.ts";

describe("the name of a host in a setting", () => {
  it.each([
    ["chat.example.com", "chat.example.com"],
    ["Chat.Example.com", "Chat.Example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["пример.рф", "xn--e1afmkfd.xn--p1ai"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["localhost", "localhost"],
    ["127.0.0.1", "127.0.0.1"],
  ])("is accepted: %s", (text, name) => {
    expect(hostName.parse(text)).toBe(name);
  });

  it.each([
    "",
    "chat.example.com:443",
    "https://chat.example.com",
    "chat..example.com",
    "-chat.example.com",
    "chat example.com",
    "xn--0.example",
    "1.2.3.4.5",
    "::1",
    "☃.example",
    "a_b.example",
  ])("is refused: %j", (text) => {
    expect(hostName.safeParse(text).success).toBe(false);
  });
});
