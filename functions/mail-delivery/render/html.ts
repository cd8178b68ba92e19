/** Markup whose every interpolated text went through `html`; nothing else can make one. */
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

/** Markup from a template literal: texts come out escaped, other markup as it is, `undefined` as nothing. */
export function html(
  literals: TemplateStringsArray,
  ...values: readonly (string | Html | undefined)[]
): Html {
  return new Markup(
    literals.reduce((source, literal, index) => `${source}${toSource(values[index - 1])}${literal}`),
  );
}

const toSource = (value: string | Html | undefined) =>
  value instanceof Markup ? value.toString() : (value ?? "").replaceAll(/[<>&"']/g, escapeCharacter);

const escapeCharacter = (character: string) => `&#${character.charCodeAt(0)};`;
