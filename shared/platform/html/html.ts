/** Markup in which all interpolated text is escaped: only `html` creates it. */
export type Html = Markup;

class Markup {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  toString(): string {
    return this.#source;
  }
}

type Value = string | Html | readonly Html[] | undefined;

/**
 * Creates markup from a template literal: strings are escaped, markup is inserted as it is, lists of markup are
 * concatenated, and `undefined` adds nothing.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Markup(
    literals.reduce((source, literal, index) => `${source}${toSource(values[index - 1])}${literal}`),
  );
}

function toSource(value: Value): string {
  if (value instanceof Markup) return value.toString();
  if (Array.isArray(value)) return value.map(toSource).join("");
  return ((value as string | undefined) ?? "").replaceAll(/[<>&"']/g, escapeCharacter);
}

/** Creates a script element with a text that is not escaped. @throws Error when the text could end the element */
export function script(source: string): Html {
  if (source.includes("<")) throw new Error("A script must not contain <");
  return new Markup(`<script type="text/javascript">${source}</script>`);
}

const escapeCharacter = (character: string) => `&#${character.charCodeAt(0)};`;
