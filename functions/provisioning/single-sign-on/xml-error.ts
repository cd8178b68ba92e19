/** The text is not XML, or has parts that no SAML document needs. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}
