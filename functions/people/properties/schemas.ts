import * as z from "zod";

const key = z.string().regex(/^[ -~]+$/, "printable ASCII is needed");

export const propertyPath = z.object({
  key: key.meta({ format: "printable", description: "Printable ASCII, at most 1024 characters" }),
});

/** Any JSON, exactly as it was sent. */
export const propertyText = z
  .custom<string>((text) => typeof text === "string", "JSON is needed")
  .meta({ description: "Any JSON value", examples: [{ theme: "dark" }] });

export const propertyValue = z.unknown().meta({ id: "PropertyValue", description: "Any JSON value" });

export const propertyKeys = z.array(z.string().meta({ id: "ASCII" }));

/** Not a zod record, which would drop a key `__proto__`. */
export const propertyValues = z
  .custom<Readonly<Record<string, unknown>>>((values) => typeof values === "object" && values !== null)
  .meta({ id: "PropertyKeysAndValues", type: "object" });
