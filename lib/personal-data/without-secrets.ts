import type { Subject } from "#shared/platform/data/subject.ts";

/** An item as JSON, without the attributes that its kind declares as secret; sets become lists, bytes base64. */
export function withoutSecrets(value: unknown, subject: Subject): unknown {
  const secrets = new Set("nobody" in subject ? [] : subject.secrets);
  const show = (one: unknown): unknown => {
    if (one instanceof Uint8Array) return Buffer.from(one).toString("base64");
    if (Array.isArray(one) || one instanceof Set) return [...one].map(show);
    if (typeof one !== "object" || one === null) return one;
    const shown = Object.entries(one).filter(([name]) => !secrets.has(name));
    return Object.fromEntries(
      shown.map(([name, content]) => [
        name,
        show(secrets.has(`${name}{}`) ? Object.values(content) : content),
      ]),
    );
  };
  return show(value);
}
