import type { Refused } from "./refused.ts";

const domain = "parley.localhost";
const id = "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4";
const notIds = ["x", "1", "00000000-0000-0000-0000-00000000000", `${id}\u0000`, "😀"];
const notDevices = ["__proto__", "\u0000", "x".repeat(65), "a/b", "🙂"];
const notDomains = [
  "localhost",
  "127.0.0.1",
  "a_b.example",
  "-a.example",
  `${"a".repeat(64)}.example`,
  "a..example",
];

type Parameters = Readonly<Record<string, string>>;

export const refusedParameters: Refused<Parameters> = {
  "GET /users/{uid_domain}/{uid}": {
    refused: notIds.map((uid) => ({ uid_domain: domain, uid })),
    taken: [{ uid_domain: domain, uid: id }],
  },
  "GET /users/{uid}": { refused: notIds.map((uid) => ({ uid })), taken: [{ uid: id }] },
  "POST /mls/key-packages/claim/{user_domain}/{user}": {
    refused: notIds.map((user) => ({ user_domain: domain, user })),
    taken: [{ user_domain: domain, user: id }],
  },
  "GET /i/users/{uid}/verification-code/{action}": {
    refused: [
      { uid: id, action: "logout" },
      { uid: "somebody", action: "login" },
    ],
    taken: [{ uid: id, action: "login" }],
  },
  "GET /connections/{domain}/{uid}": {
    refused: notIds.map((uid) => ({ domain, uid })),
    taken: [{ domain, uid: id }],
  },
  "GET /connections/{uid}": { refused: notIds.map((uid) => ({ uid })), taken: [{ uid: id }] },
  ...Object.fromEntries(
    ["", "/capabilities", "/prekeys", "/nonce"].map((part) => [
      `GET /clients/{client}${part}`,
      {
        refused: notDevices.map((client) => ({ client })),
        taken: [{ client: "x".repeat(64) }, { client: "constructor" }],
      },
    ]),
  ),
  ...Object.fromEntries(
    ["POST /domain-verification/{domain}/challenges", "POST /i/domain-registration/{domain}/lock"].map(
      (operation) => [
        operation,
        { refused: notDomains.map((name) => ({ domain: name })), taken: [{ domain: "example.com" }] },
      ],
    ),
  ),
};
