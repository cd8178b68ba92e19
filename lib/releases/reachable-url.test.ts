import { expect, test } from "vitest";
import { reachableUrl } from "./reachable-url.ts";

const emulator = "https://127.0.0.1:4566/";
const atAws = "https://abc123.execute-api.eu-central-1.amazonaws.com";

test("an API of an emulator is reached below its address, without a DNS", () => {
  const expected = "https://127.0.0.1:4566/_aws/execute-api/abc123/$default";
  expect(reachableUrl("https://abc123.execute-api.localhost:4566", emulator)).toBe(expected);
  expect(reachableUrl(atAws, emulator)).toBe(expected);
});

test("sockets of an emulator are reached below its address, too", () => {
  expect(reachableUrl("wss://abc123.execute-api.eu-central-1.amazonaws.com/live", emulator)).toBe(
    "wss://127.0.0.1:4566/_aws/execute-api/abc123/live",
  );
});

test("all other outputs, and addresses of AWS, are left as they are", () => {
  expect(reachableUrl(atAws, undefined)).toBe(atAws);
  expect(reachableUrl(atAws, "https://vpce-1.execute-api.eu-central-1.vpce.amazonaws.com")).toBe(atAws);
  expect(reachableUrl("https://api.example.com", emulator)).toBe("https://api.example.com");
  expect(reachableUrl("parley-accounts", emulator)).toBe("parley-accounts");
});
