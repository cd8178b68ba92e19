import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { type ApiAnswer, type ApiRequest, api } from "./api.ts";
import { localDomain } from "./connections.ts";
import { type UploadParts, uploadBody } from "./upload-body.ts";
import type { User } from "./users.ts";

/** Content type of an upload. */
export const mixed = { "content-type": "multipart/mixed; boundary=frontier" };

/** Upload a body, or one made of these parts. */
export const sendUpload = (
  token: string,
  parts: UploadParts | Buffer<ArrayBuffer> = {},
  path = "/v8/assets",
  request: ApiRequest = {},
): Promise<ApiAnswer> => {
  const body = Buffer.isBuffer(parts) ? parts : uploadBody(parts);
  return api("POST", path, { token, headers: mixed, body, ...request });
};

export interface UploadedAsset {
  readonly key: string;
  readonly token: string;
}

/** Upload an asset. */
export async function upload(user: Pick<User, "token">, parts: UploadParts = {}): Promise<UploadedAsset> {
  const { status, body } = await sendUpload(user.token, parts);
  if (status !== 201) throw new Error(`The upload was refused: ${JSON.stringify(body)}`);
  return body;
}

/** Path of an asset in newer versions. */
export const assetPath = (key: string, domain = localDomain) => `/v8/assets/${domain}/${key}`;

/** Request the download address of an asset. */
export const download = (
  user: Pick<User, "token">,
  key: string,
  { header, query }: { header?: string; query?: string } = {},
): Promise<ApiAnswer> =>
  api(
    "GET",
    assetPath(key) + (query === undefined ? "" : `?${new URLSearchParams({ asset_token: query })}`),
    {
      token: user.token,
      headers: header === undefined ? {} : { "asset-token": header },
    },
  );

/** The address that a download redirects to. */
export const locationOf = ({ headers }: Pick<ApiAnswer, "headers">): string => headers.get("location") ?? "";

/** Fetch an address with no headers but those given. */
export async function fetchBytes(
  url: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ status: number; headers: Readonly<Record<string, unknown>>; bytes: Buffer }> {
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    request(url, { method, headers }, resolve).on("error", reject).end();
  });
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
}
