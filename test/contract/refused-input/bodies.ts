import { generateKeyPairSync } from "node:crypto";
import type { Refused } from "./refused.ts";

const [id, domain, password] = [
  "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4",
  "parley.localhost",
  "correct horse battery",
];
const email = "ada@example.com";
const team = { name: "T", icon: "default" };
const user = { domain, id };
const publicKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .publicKey.export({ type: "spki", format: "pem" })
  .toString();
const service = { base_url: "https://hold.example.com", public_key: publicKey, auth_token: "a" };
const quiz = {
  name: "Quiz",
  summary: "Asks",
  description: "Asks questions",
  base_url: "https://quiz.example.com",
  public_key: publicKey,
  assets: [],
  tags: ["quiz"],
};
const cursor = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");

const accounts: Refused<unknown> = {
  "POST /register": {
    refused: [
      { expires_in: 0 },
      { expires_in: 604_801 },
      { expires_in: 1.5 },
      { password },
      { uuid: id },
      { managed_by: "scim" },
      { sso_id: { tenant: "t", subject: "s" } },
      { team_id: id },
      { expires_in: 60, email },
      { email, team },
      { email, team_code: "code" },
      { email, password, team, team_code: "code" },
      { email, password, team_code: "code", invitation_code: "code" },
      { email, phone_code: "123456" },
      { phone: "+4917000000000", email_code: "123456" },
      { email, password, team: { ...team, name: "" } },
      { email, password, team: { ...team, name: "x".repeat(257) } },
      { email, password, team: { ...team, icon: "picture.png" } },
      { email, password, team: { name: "T" } },
      { email, password, team: { ...team, currency: "Euro" } },
    ].map((fields) => ({ name: "Ada", ...fields })),
    taken: [{ name: "Ada", email, password, team: { ...team, name: "x".repeat(256) } }],
  },
  "POST /verification-code/send": {
    refused: [
      {},
      { email },
      { action: "login" },
      { action: "logout", email },
      { action: ["login"], email },
      { action: "login", email: 1 },
      { action: "login", email: "" },
      { action: "login", email: `${"x".repeat(400)}@example.com` },
    ],
    taken: [
      { action: "login", email },
      { action: "login", email, more: true },
    ],
  },
  "POST /login": {
    refused: [
      { password },
      { email, handle: "ada", password },
      { email },
      { email, code: "123456" },
      { phone: "+4917000000000", code: "123456", password },
      { email, password: null },
      { email, password: 12_345_678 },
    ],
    taken: [
      { email, password: "" },
      { email, password: "x".repeat(1025) },
      { email: "", password },
      { handle: "x".repeat(257), password },
    ],
  },
  "PUT /self/password": {
    refused: [
      { new_password: "x".repeat(7) },
      { new_password: "x".repeat(1025) },
      { new_password: password, old_password: 12_345_678 },
      { new_password: null, old_password: password },
      { new_password: 12_345_678 },
      { old_password: password },
      {},
    ],
    taken: [{ new_password: "x".repeat(8) }, { new_password: "x".repeat(1024), old_password: "x" }],
  },
  "PUT /self": {
    refused: [
      { name: "" },
      { name: "x".repeat(129) },
      { text_status: "" },
      { text_status: "x".repeat(257) },
      { accent_id: 2 ** 31 },
      { accent_id: 1.5 },
      { picture: Array(11).fill({}) },
      { picture: ["text"] },
      { assets: [{ key: "3-1-abc", type: "video" }] },
      { assets: [{ key: "3-1-abc", type: "image", size: "huge" }] },
      { assets: Array(11).fill({ key: "3-1-abc", type: "image" }) },
    ],
    taken: [{ name: "x".repeat(128), text_status: "x".repeat(256) }],
  },
  "PUT /self/locale": {
    refused: ["", "german", "de-", "de-CHE", "e", 7, null].map((locale) => ({ locale })),
    taken: ["de", "de-CH", "es-419", "zh-Hant-TW", "sr-Latn-RS"].map((locale) => ({ locale })),
  },
  "POST /delete": {
    refused: [{ key: "", code: "123456" }, { key: "k".repeat(20), code: 123_456 }, { key: "k".repeat(20) }],
    taken: [{ key: "k".repeat(20), code: "123456" }],
  },
};

const people: Refused<unknown> = {
  ...Object.fromEntries(
    ["POST /handles", "POST /users/handles"].map((operation) => [
      operation,
      {
        refused: [
          { handles: [], return: 1 },
          { handles: Array(51).fill("ada"), return: 1 },
          { handles: [1], return: 1 },
          { handles: ["ada"], return: 0 },
          { handles: ["ada"], return: 11 },
          {},
        ],
        taken: [{ handles: Array(50).fill("ada"), return: 10 }],
      },
    ]),
  ),
  "POST /list-users": {
    refused: [
      {},
      { qualified_ids: [user], qualified_handles: [{ domain, handle: "ada" }] },
      { qualified_ids: [] },
      { qualified_handles: [] },
      { qualified_ids: Array(501).fill(user) },
      { qualified_handles: [..."abcde"].map((end) => ({ domain, handle: `x${end}` })) },
      { qualified_ids: [id] },
      { qualified_ids: [{ id }] },
      { qualified_ids: [{ domain, id: "1" }] },
      null,
      [],
    ],
    taken: [{ qualified_ids: Array(500).fill(user) }],
  },
  "POST /search/contacts": {
    refused: [
      { q: 1 },
      { q: "ada", size: "15" },
      { q: "ada", size: 501 },
      { q: "ada", domain: 1 },
      { q: "ada", pagingState: {} },
      [],
      "ada",
    ],
    taken: [{ q: "ada", size: 500 }],
  },
  "PUT /connections/{domain}/{uid}": {
    refused: [{ status: "friends" }, {}, { status: 1 }, "accepted"],
    taken: [{ status: "accepted" }, { status: "accepted", message: "hi" }],
  },
  "POST /list-connections": {
    refused: [
      { paging_state: "not a state" },
      { paging_state: "" },
      { paging_state: Buffer.from("something").toString("base64url") },
      { paging_state: 7 },
      { size: 0 },
      { size: 501 },
      { size: 1.5 },
      { size: "10" },
    ],
    taken: [{ size: 500 }, {}],
  },
  "POST /connections": {
    refused: [
      { name: "Hello" },
      { user: id },
      { user: id, name: "" },
      { user: id, name: "🙂".repeat(257) },
      { user: "bob", name: "Hello" },
    ],
    taken: [{ user: id, name: "🙂".repeat(256) }],
  },
  "PUT /i/users/{uid}/rich-info": {
    refused: [
      {},
      { rich_info: { version: 0 } },
      { rich_info: { fields: [] } },
      { rich_info: { version: 1.5, fields: [] } },
      { rich_info: { version: 0, fields: [{ type: "a", value: 1 }] } },
      { rich_info: { version: 0, fields: [{ type: "a" }] } },
      null,
    ],
    taken: [{ rich_info: { version: 0, fields: [{ type: "a", value: "b" }] } }],
  },
};

const device = { type: "permanent", prekeys: [], lastkey: { id: 65_535, key: "AAAA" } };
const devices: Refused<unknown> = {
  "list-clients-bulk@v2": {
    refused: [[], {}, { qualified_users: [id] }, { qualified_users: [{ domain, id: "x" }] }, null],
    taken: [{ qualified_users: [user] }],
  },
  "list-clients-bulk-v0": { refused: [{}, [id], [{ domain }], "x"], taken: [[user]] },
  "get-multi-user-prekey-bundle-qualified": {
    refused: [
      [],
      null,
      { [domain]: [id] },
      { [domain]: { x: [] } },
      { [domain]: { [id]: "0" } },
      { [domain]: { [id]: [0] } },
      { [domain]: { [id]: [""] } },
    ],
    taken: [{ [domain]: { [id]: ["0"] } }],
  },
  "get-multi-user-prekey-bundle-qualified-v0": { refused: [[], { [domain]: { [id]: {} } }] },
  "get-multi-user-prekey-bundle-unqualified-v0": { refused: [[], { x: [] }, { [domain]: { [id]: [] } }] },
  "POST /clients": {
    refused: [
      { type: "other" },
      { type: undefined },
      { class: "watch" },
      { label: 1 },
      { label: "x".repeat(1025) },
      { model: 1 },
      { cookie: "x".repeat(257) },
      { capabilities: ["other"] },
      { capabilities: { capabilities: [] } },
      { verification_code: 123456 },
      { mls_public_keys: [] },
      { mls_public_keys: { ed25519: 1 } },
      { password: 1 },
      { prekeys: [{ id: 70_000, key: "AAAA" }] },
      { prekeys: [{ id: 1 }] },
      { prekeys: [null] },
      { prekeys: undefined },
      { prekeys: {} },
      { lastkey: undefined },
      { lastkey: "AAAA" },
    ].map((fields) => ({ ...device, ...fields })),
    taken: [device, { ...device, label: "x".repeat(1024), unknown: 1 }],
  },
  "PUT /clients/{client}": {
    refused: [{ capabilities: ["other"] }, { prekeys: [{ id: 1 }] }, { lastkey: { id: 1 } }],
    taken: [{}, { label: "" }],
  },
  "DELETE /clients/{client}": {
    refused: [{ password: 1 }],
    taken: [{}, { password: "short" }],
  },
  "POST /mls/key-packages/self/{client}": {
    refused: [
      [],
      {},
      { key_packages: "AAAA" },
      { key_packages: [1] },
      { key_packages: [null] },
      { key_packages: ["AAAA!"] },
      { key_packages: ["AAA"] },
      { key_packages: [Buffer.alloc(20_000).toString("base64")] },
      { key_packages: Array(101).fill("AAAA") },
    ],
    taken: [{ key_packages: Array(100).fill("AAAA") }, { key_packages: [] }],
  },
  "DELETE /mls/key-packages/self/{client}": {
    refused: [[], ["not base64"], Array(1001).fill("AAAA")].map((key_packages) => ({ key_packages })),
    taken: [{ key_packages: Array(1000).fill("AAAA") }],
  },
  "POST /push/tokens": {
    refused: [
      { transport: "PIGEON", app: "a", token: "t", client: "1" },
      { transport: "GCM", app: "a", token: "t" },
    ],
    taken: [{ transport: "GCM", app: "a", token: "t", client: "1" }],
  },
};

const conversations: Refused<unknown> = {
  "PUT /conversations/{domain}/{cid}/access": {
    refused: [
      { access: ["invite"], access_role: ["everybody"] },
      { access: ["door"], access_role: ["team_member"] },
      { access: null, access_role: ["team_member"] },
    ],
  },
  "update-conversation-access": {
    refused: [{ access: ["invite"], access_role: "activated" }],
    taken: [{ access: ["invite"], access_role: ["team_member"] }],
  },
  "POST /conversations": {
    refused: [
      { name: "" },
      { name: "x".repeat(257) },
      { name: "🙂".repeat(257) },
      { name: 7 },
      { users: ["not a uuid"] },
      { users: id },
      { qualified_users: [{ id }] },
      { qualified_users: [{ domain, id: "7" }] },
      { access: ["open"] },
      { team: {} },
      { team: { teamid: "7" } },
      { team: id },
      { message_timer: 1.5 },
      { message_timer: "1" },
      { receipt_mode: 2 ** 31 },
      { conversation_role: "x" },
    ],
    taken: [{ name: "x".repeat(256) }, { name: "🙂".repeat(256) }],
  },
  "create-group-conversation@v9": {
    refused: [
      { access_role: "team" },
      { access_role: ["friend"] },
      { protocol: "mixed" },
      { group_conv_type: "meeting" },
      { cells: "yes" },
      { add_permission: "nobody" },
      { skip_creator: 1 },
    ],
  },
  "POST /conversations/list-ids": {
    refused: [
      { paging_state: [] },
      { paging_state: "" },
      { paging_state: "a+b/" },
      { paging_state: "e30=" },
      { paging_state: "AAAA" },
      { paging_state: cursor({}) },
      { paging_state: cursor({ after: "group" }) },
      { paging_state: cursor({ kind: "connections", after: id }) },
      { paging_state: cursor({ after: id, owner: "user#1" }) },
      { paging_state: "A".repeat(9000) },
      { size: 0 },
      { size: 1001 },
      { size: 1.5 },
    ],
    taken: [{ size: 1000 }, {}],
  },
  "POST /conversations/{cid}/otr/messages": {
    refused: [
      { recipients: {} },
      { sender: "1" },
      { sender: "xyz", recipients: {} },
      { sender: "1".repeat(17), recipients: {} },
      { sender: "1", recipients: { ann: {} } },
      { sender: "1", recipients: { [id]: { g: "" } } },
      { sender: "1", recipients: { [id]: { a: "%" } } },
      { sender: "1", recipients: { [id]: { a: 1 } } },
      { sender: "1", recipients: {}, data: "ä" },
      { sender: "1", recipients: {}, native_priority: "urgent" },
      { sender: "1", recipients: {}, report_missing: ["ann"] },
    ],
    taken: [{ sender: "1", recipients: { [id]: { a: "" } } }],
  },
};

const teams: Refused<unknown> = {
  "PUT /teams/{tid}": {
    refused: [
      {},
      { name: null, icon: null, icon_key: null, splash_screen: null },
      { name: "" },
      { name: "x".repeat(257) },
      { icon: "picture.png" },
      { icon_key: "" },
      { splash_screen: "https://example.org" },
      [],
    ],
    taken: [{ name: "x".repeat(256) }],
  },
  "POST /teams/{tid}/invitations": {
    refused: [
      {},
      { email, role: "king" },
      { email, name: "" },
      { email, name: "x".repeat(129) },
      { email, locale: "english" },
      { email, allow_existing: "yes" },
    ],
    taken: [{ email, name: "x".repeat(128), role: "admin", locale: "en", allow_existing: true }],
  },
  "PUT /teams/{tid}/members": {
    refused: [
      { self: 1025, copy: 1587 },
      { self: -1, copy: 0 },
      { self: 1.5, copy: 0 },
      { self: "1025", copy: 1025 },
      { self: 1025 },
      null,
    ].map((permissions) => ({ member: { user: id, permissions } })),
    taken: [{ member: { user: id, permissions: { self: 1587, copy: 1025 } } }],
  },
  "POST /teams/{tid}/legalhold/settings": {
    refused: [
      { base_url: "http://hold.example.com" },
      { base_url: "hold.example.com" },
      { base_url: "https://" },
      { base_url: "https://ada:secret@hold.example.com" },
      { base_url: "https://hold.example.com/?path=" },
      { base_url: "https://hold.example.com/#fragment" },
      { base_url: `https://hold.example.com/${"a".repeat(2000)}` },
      { base_url: 7 },
      { public_key: "a key" },
      { public_key: publicKey.replace(/M/, "N").repeat(2) },
      { auth_token: "" },
      { auth_token: "tökén" },
      { auth_token: "two words" },
      { auth_token: "line\nbreak" },
      { auth_token: undefined },
    ].map((fields) => ({ ...service, ...fields })),
    taken: [service],
  },
};

const others: Refused<unknown> = {
  "POST /scim/v2/Groups": {
    refused: [
      {},
      { displayName: "" },
      { displayName: "x".repeat(4001) },
      { displayName: 7 },
      { displayName: "x", members: "y" },
      { displayName: "x", members: [{}] },
      { displayName: "x", members: [{ value: "ada" }] },
      { displayName: "x", displayname: "y" },
    ],
    taken: [{ displayName: "x".repeat(4000), members: [{ value: id }] }],
  },
  "POST /provider/services": {
    refused: [
      { name: "" },
      { name: "x".repeat(129) },
      { summary: "" },
      { summary: "x".repeat(129) },
      { description: "" },
      { description: "x".repeat(1025) },
      { base_url: "http://quiz.example.com" },
      { base_url: "https://quiz.example.com?a=b" },
      { base_url: "https://a:b@quiz.example.com" },
      { base_url: "quiz" },
      { tags: [] },
      { tags: ["quiz", "music", "games", "news"] },
      { tags: ["riddles"] },
      { auth_token: "" },
      { auth_token: "with blanks" },
      { auth_token: "täst" },
      { assets: undefined },
      { assets: [{ type: "video", key: "3-1-x" }] },
    ].map((fields) => ({ ...quiz, ...fields })),
    taken: [quiz],
  },
  "PUT /scim/auth-tokens/{id}": {
    refused: ["x".repeat(257), null, 7].map((name) => ({ name })),
    taken: [{ name: "x".repeat(256) }],
  },
};

export const refusedBodies: Refused<unknown> = {
  ...accounts,
  ...people,
  ...devices,
  ...conversations,
  ...teams,
  ...others,
};
