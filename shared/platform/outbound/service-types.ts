import * as z from "zod";

/** Schemas of services that are recognised by a public key, as in the interface. */

const exampleUrl = "https://service.example.com";
/** Nobody has the private key. */
export const exampleKey = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAy47Fs1fikFFMk2RJoAQQ
Qd5JvPVKgLfag+rsNtyg16a+Lcs2xf1UZjgJ+yYMJYxHnHs0+tAR+KBWBbVHDjTF
k0D1Zh4LG8kbBgcX3W4P88idDxfKNCyq+OTrfAIFHSo4MvzwD8mLIfN5193bN7s+
YI0RbPbAExaL6I4n84w5Fi9ge+W90jgedfythMzWQuicAqIfzpA0qJTqj4Cy2yww
lkn21BsKNk27iKGg6RnOQMHhfg8em+UpfX6uHombvR7xih/LKD3AxR5qM7qrLgQb
5eYTL84EoDL7KIrwXMXrjN0iym4/oSyCaYae9Ztp3Gu9RUoK7JUZEqbw8UU5S/ow
QQIDAQAB
-----END PUBLIC KEY-----
`;

export const baseUrl = z
  .url({ protocol: /^https$/ })
  .max(2000)
  .meta({
    description: "HTTPS base URL of the service; paths of calls are appended to it.",
    examples: [exampleUrl],
  });
export const publicKey = z
  .string()
  .max(8192)
  .meta({
    description: "RSA public key of the service's certificate, in PEM",
    examples: [exampleKey],
  });
export const authToken = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,1024}={0,2}$/)
  .meta({ description: "Bearer token with which the service recognises this backend" });

/** One PEM section; the key itself is checked later. */
const pemSection = /^\s*-----BEGIN ([A-Z0-9 ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----\s*$/;

/** Paths are appended to the text as it is: even an empty query or fragment would swallow them. */
const isPlainUrl = (text: string) => {
  if (!URL.canParse(text) || /[\s\\?#]/.test(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
};

export const newBaseUrl = baseUrl.refine(isPlainUrl, "without user, query, fragment and blanks");
export const newPublicKey = publicKey.regex(pemSection, "one section of PEM");
