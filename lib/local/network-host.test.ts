import { expect, test } from "vitest";
import { describeReach, parseHost } from "./network-host.ts";

const urls = (host: string) => ({
  publicUrl: `http://${host}:8080`,
  filesUrl: `http://${host}:9090`,
  chatUrl: `https://${host}:8083`,
});

test("localhost means the loopback address", () => {
  expect(parseHost("localhost")).toBe("127.0.0.1");
  expect(parseHost("127.0.0.1")).toBe("127.0.0.1");
});

test("placeholders, names and addresses of other machines are refused, and the error lists those that work", () => {
  for (const text of ["0.0.0.0", "::", "198.51.100.1", "phone.example", ""])
    expect(() => parseHost(text)).toThrow(`--host must be an address of this machine (127.0.0.1`);
});

test("the text at the start tells who can connect, and by which name", () => {
  expect(describeReach("127.0.0.1", urls("127.0.0.1"))).toMatch(
    /^Only this machine .* localhost or 127\.0\.0\.1\.$/,
  );
  const text = describeReach("192.0.2.7", urls("192.0.2.7"));
  for (const part of [
    /^WARNING: .*192\.0\.2\.7/,
    "port 8080",
    "port 9090",
    "use http://192.0.2.7:8080",
    "https://192.0.2.7:8083",
  ])
    expect(text).toMatch(part);
});
