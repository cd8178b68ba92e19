/** The value of `Vary`, with one more request header (RFC 9110 §12.5.5). */
export function alsoVarying(vary: string, header: string): string {
  const names = vary.split(",").map((name) => name.trim().toLowerCase());
  return names.includes(header) || names.includes("*") ? vary : [vary, header].filter(Boolean).join(", ");
}
