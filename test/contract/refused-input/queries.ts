import type { Refused } from "./refused.ts";

const id = "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4";
const cursor = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");
const long = "x".repeat(1025);

const suites = {
  refused: ["", "x", "0x", "-1", "1.5", "0x00001", "f031"].map((suite) => `ciphersuite=${suite}`),
  taken: ["ciphersuite=0x0001", "ciphersuite=0xF031", "ciphersuite=61489"],
};
/** Operations that take a cipher suite, which must be named from version 8 on. */
const suiteOperations = ["count", "delete", "claim"].map((name) => `mls-key-packages-${name}`);

export const refusedQueries: Refused<string> = {
  "GET /i/users/list": {
    refused: [
      "size=0",
      "size=101",
      "size=1.5",
      "start=e30",
      "start=%21",
      "from=yesterday",
      "from=2026-02-30T00:00:00Z",
      "to=2026-01-01",
      `start=${cursor({ kind: "users", createdAt: "x", id: "y" })}`,
      `start=${cursor({ kind: "teams", createdAt: "2026-01-01T00:00:00.000Z", id })}`,
    ],
    taken: ["", "size=100", "from=2026-01-01T00:00:00Z"],
  },
  "GET /i/teams/list": {
    refused: ["size=0", "size=101", "start=e30", "from=yesterday", "to=2026-13-01T00:00:00Z"],
    taken: ["", "size=100"],
  },
  "GET /i/users/by-identity": {
    refused: [
      "",
      "issuer=https://idp.example.com",
      "name_id=ada",
      "external_id=ada",
      `external_id=&team=${id}`,
      "external_id=ada&team=engines",
      `external_id=ada&team=${id}&issuer=https://idp.example.com&name_id=ada`,
    ],
    taken: [`external_id=ada&team=${id}`, "issuer=https://idp.example.com&name_id=ada"],
  },
  "GET /users": {
    refused: [
      "",
      "ids=",
      "handles=",
      `ids=${id}&handles=ada`,
      "ids=1",
      `ids=${id},`,
      "handles=ab,cd,ef,gh,ij",
      "handles=a",
      "handles=a%20b",
    ],
    taken: [`ids=${id}`, "handles=ab,cd,ef,gh"],
  },
  "GET /search/contacts": {
    refused: [
      "",
      "size=15",
      "q=ada&size=0",
      "q=ada&size=501",
      "q=ada&size=-1",
      "q=ada&size=1.5",
      "q=ada&size=many",
      "q=ada&size=",
      `q=${long}`,
      "q=ada&pagingState=",
      "q=ada&pagingState=ada",
    ],
    taken: ["q=ada&size=500"],
  },
  "GET /teams/{tid}/search": {
    refused: [
      "size=0",
      "size=501",
      "size=many",
      "frole=",
      "frole=boss",
      "frole=member,boss",
      "sortby=age",
      "sortby=name&sortorder=up",
      `q=${long}`,
      "pagingState=",
      "pagingState=e30",
    ],
    taken: ["size=500", "sortby=name&sortorder=desc&frole=member,admin"],
  },
  "GET /teams/{tid}/members": {
    refused: ["maxResults=0", "maxResults=2001", "maxResults=x", "pagingState=x", "pagingState=e30"],
    taken: ["", "maxResults=2000"],
  },
  "GET /connections": {
    refused: ["size=0", "size=501", "size=many", "start=me"],
    taken: ["", "size=500", `start=${id}`],
  },
  "GET /conversations": {
    refused: [
      `ids=${Array(33).fill(id).join()}`,
      "ids=",
      "ids=group",
      `ids=${id}&start=${id}`,
      "start=group",
      "size=0",
      "size=501",
      "size=many",
    ],
    taken: ["", "size=500", `ids=${Array(32).fill(id).join()}`],
  },
  "GET /conversations/ids": {
    refused: ["start=group", "size=0", "size=1001"],
    taken: ["size=1000", `start=${id}`],
  },
  "POST /conversations/{cid}/otr/messages": {
    refused: ["ignore_missing", "report_missing"].flatMap((name) =>
      ["", "maybe", "true,false", `${id},`, `${id},ann`].map((rule) => `${name}=${encodeURIComponent(rule)}`),
    ),
    taken: ["", "ignore_missing=true", `report_missing=${id},${id}`],
  },
  "GET /notifications": {
    refused: ["99", "10001", "0", "-1", "many", "100.5", ""].map((size) => `size=${size}`),
    taken: ["size=100", "size=10000"],
  },
  "GET /calls/config/v2": {
    refused: ["0", "11", "-1", "1.5", "x", ""].map((limit) => `limit=${limit}`),
    taken: ["", "limit=1", "limit=10"],
  },
  "GET /i/statistics/days": {
    refused: [
      "from=2026-01-01",
      "from=2026-01-02&to=2026-01-01",
      "from=2026-01-01&to=2026-04-03",
      "from=x&to=y",
    ],
    taken: ["from=2026-01-01&to=2026-01-02"],
  },
  "GET /services": {
    refused: [
      "",
      "start=x&size=9",
      "start=x&size=101",
      "start=x&size=ten",
      "tags=quiz,riddles",
      "tags=",
      "tags=quiz,",
      "tags=quiz,music,news,games",
      "tags=quiz.music.news.games",
    ],
    taken: ["start=x&size=10", "tags=quiz,music,news"],
  },
  ...Object.fromEntries(
    suiteOperations.flatMap((id) => [
      [id, { ...suites, refused: [...suites.refused, ""] }],
      [`${id}-v5`, { ...suites, taken: [...suites.taken, ""] }],
    ]),
  ),
  "mls-key-packages-replace": {
    refused: ["", "ciphersuites=", "ciphersuites=x", "ciphersuites=0x0001,", "ciphersuite=0x0001"],
    taken: ["ciphersuites=0x0001,0xf031", "ciphersuites=99999"],
  },
  "mls-key-packages-replace-v5": { refused: ["ciphersuites=x"], taken: [""] },
  "POST /mls/key-packages/claim": {
    refused: ["skip_own=maybe", "ciphersuite=x"],
    taken: ["", "skip_own=true", "skip_own=false&ciphersuite=2"],
  },
  "GET /mls/public-keys": { refused: ["format=pem"], taken: ["", "format=raw", "format=jwk"] },
  "GET /scim/v2/Groups": {
    refused: ["startIndex=x", "count=1.5", "count=0x10", "startIndex=--1"],
    taken: ["startIndex=1&count=10", "startIndex=&count=", "count=-1e12", `startIndex=${"9".repeat(400)}`],
  },
};
