/** Names defined by SAML and by XML signatures. */

export const namespaces = {
  assertion: "urn:oasis:names:tc:SAML:2.0:assertion",
  protocol: "urn:oasis:names:tc:SAML:2.0:protocol",
  signature: "http://www.w3.org/2000/09/xmldsig#",
} as const;

export const bearerMethod = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
