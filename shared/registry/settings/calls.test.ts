import { expect, it } from "vitest";
import { parseSettings } from "../settings.ts";

const withServer = (server: string) => () => parseSettings({ turn: { servers: [server] } });

it.each([
  "turn:turn.example.com:3478?transport=udp",
  "turns:turn.example.com:5349?transport=tcp",
  "turn:turn.example.com",
  "turns:turn.example.com?transport=tcp",
  "turn:192.0.2.1:3478",
  "turn:192.0.2.1",
  "turn:[2001:db8::1]:3478?transport=udp",
  "turns:[2001:db8::1]",
  "turn:[::ffff:192.0.2.1]:3478",
  "turn:turn:3478",
])("a TURN server is accepted as a setting: %s", (server) => {
  expect(withServer(server)().turn.servers).toEqual([server]);
});

it.each([
  "turn.example.com:3478",
  "turn://turn.example.com:3478",
  "turn:",
  "turn::3478",
  "turn:2001:db8::1",
  "turn:2001:db8::1:3478",
  "turn:[2001:db8::1",
  "turn:[192.0.2.1]",
  "turn:[turn.example.com]:3478",
  "turn:turn.example.com:",
  "turn:turn.example.com:0",
  "turn:turn.example.com:65536",
  "turn:turn.example.com?transport=sctp",
  "turn:a b:3478",
  "turn:user@turn.example.com",
])("a text that is no TURN server is refused with the name of the setting: %s", (server) => {
  expect(withServer(server)).toThrow("turn.servers");
});
