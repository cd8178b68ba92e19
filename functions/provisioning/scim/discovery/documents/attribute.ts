/** An attribute as a schema describes it (RFC 7643 §7). */
export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer" | "reference" | "complex";
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly canonicalValues?: readonly string[];
  readonly caseExact?: boolean;
  readonly mutability: "readOnly" | "readWrite" | "immutable" | "writeOnly";
  readonly returned: "always" | "never" | "default" | "request";
  readonly uniqueness: "none" | "server" | "global";
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

type Rest = Partial<Omit<Attribute, "name" | "type" | "description">>;

/** Describes an attribute; by default a single optional value that clients may change. */
export const attribute = (
  name: string,
  type: Attribute["type"],
  description: string,
  rest: Rest = {},
): Attribute => ({
  name,
  type,
  multiValued: false,
  description,
  required: false,
  ...((type === "string" || type === "reference") && { caseExact: type === "reference" }),
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...rest,
});

/** Describes an attribute that only the service sets. */
export const readOnly = (
  name: string,
  type: Attribute["type"],
  description: string,
  rest: Rest = {},
): Attribute => attribute(name, type, description, { mutability: "readOnly", ...rest });

/** A schema without the address that it has on an installation. */
export interface SchemaDocument {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}
