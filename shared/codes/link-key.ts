/**
 * Key in mails and links: it names the item of codes and, by its nonce, one of them. Nobody but the recipient knows the
 * nonce, so attempts with such a key are counted apart from those of strangers.
 */
export const linkKey = (key: string, { nonce }: { readonly nonce: string }) => `${key}.${nonce}`;

/** Splits a key of mails and links into its parts; there is no nonce if the text is not such a key. */
export function parseLinkKey(text: string): { key: string; nonce?: string } {
  const [key = "", ...rest] = text.split(".");
  return rest.length === 0 ? { key } : { key, nonce: rest.join(".") };
}
