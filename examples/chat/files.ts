import type { Api } from "./api.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { joined } from "./mls.ts";
import type { FileReference } from "./store.ts";

const cipher = "AES-GCM";
const boundary = "part";

/** Encrypt a file with its own key, and upload the ciphertext. */
export async function uploadFile(api: Api, file: File): Promise<FileReference> {
  const rawKey = crypto.getRandomValues(new Uint8Array(32));
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await crypto.subtle.importKey("raw", rawKey, cipher, false, ["encrypt"]);
  const content = new Uint8Array(
    await crypto.subtle.encrypt({ name: cipher, iv }, key, await file.arrayBuffer()),
  );
  const options = JSON.stringify({ public: false, retention: "persistent" });
  const encoder = new TextEncoder();
  // The body looks like a form, but each part needs a `Content-Length`, which `FormData` does not write.
  const part = (type: string, length: number) =>
    encoder.encode(`--${boundary}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`);
  const body = joined(
    part("application/json", options.length),
    encoder.encode(`${options}\r\n`),
    part("application/octet-stream", content.length),
    content,
    encoder.encode(`\r\n--${boundary}--\r\n`),
  );
  const { domain, key: assetKey, token } = await api.send("POST", "/assets", { mixed: { boundary, body } });
  return {
    name: file.name,
    type: file.type,
    bytes: file.size,
    asset: { domain, key: assetKey, token },
    key: toBase64(rawKey),
    nonce: toBase64(iv),
  };
}

/**
 * Download a file and decrypt it.
 * @throws Error if it is gone, or has been changed
 */
export async function downloadFile(api: Api, { asset, key, nonce }: FileReference): Promise<ArrayBuffer> {
  const headers: Record<string, string> = asset.token === undefined ? {} : { "asset-token": asset.token };
  const response = await api.fetch("GET", `/assets/${asset.domain}/${asset.key}`, { headers });
  if (!response.ok) throw new Error(`The file was answered ${response.status}`);
  const imported = await crypto.subtle.importKey("raw", fromBase64(key), cipher, false, ["decrypt"]);
  return crypto.subtle.decrypt(
    { name: cipher, iv: fromBase64(nonce) },
    imported,
    await response.arrayBuffer(),
  );
}
