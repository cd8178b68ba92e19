import type { InternalApi } from "./internal-api.ts";

/** The kind of a value, which decides how pages and completion let it be entered. */
type Kind =
  | "user"
  | "team"
  | "id"
  | "email"
  | "address"
  | "text"
  | "url"
  | "file"
  | "json"
  | "integer"
  | "choice"
  | "flag";

interface Field {
  readonly kind: Kind;
  readonly description: string;
  /** Placeholder for the value of an option in the help, such as `NAME`. */
  readonly placeholder?: string;
  /** The values of the kind `choice`. */
  readonly choices?: readonly string[];
  /** Bounds of the kind `integer`, inclusive. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Whether it may be given several times; only the last argument may. */
  readonly isRepeated?: true;
}

/** A value by its position after the name of the command. */
export interface Argument extends Field {
  /** Optional arguments follow the required ones. */
  readonly isOptional?: true;
}

/** A value after `--NAME`, or the bare `--NAME` of the kind `flag`. */
export interface Option extends Field {
  readonly isRequired?: true;
  /** As it is typed. */
  readonly default?: string;
}

type Arguments = Readonly<Record<string, Argument>>;
type Options = Readonly<Record<string, Option>>;

type Value = string | number | boolean | undefined | readonly (string | number)[];

type Single<F extends Field> = F extends { kind: "integer" }
  ? number
  : F extends { choices: readonly (infer Choice)[] }
    ? Choice
    : string;

type ArgumentValue<A extends Argument> = A extends { isRepeated: true }
  ? readonly Single<A>[]
  : A extends { isOptional: true }
    ? Single<A> | undefined
    : Single<A>;

type OptionValue<O extends Option> = O extends { kind: "flag" }
  ? boolean
  : O extends { isRepeated: true }
    ? readonly Single<O>[]
    : O extends { isRequired: true } | { default: string }
      ? Single<O>
      : Single<O> | undefined;

type ValuesOf<A extends Arguments, O extends Options> = { readonly [K in keyof A]: ArgumentValue<A[K]> } & {
  readonly [K in keyof O]: OptionValue<O[K]>;
};

/** Arguments of a command besides its values. */
export interface Context {
  /** Connects at the first request. */
  readonly api: InternalApi;
  /** The deployed stage; undefined for this machine. */
  readonly stage: string | undefined;
  /** An address of this machine other than that of `npm start`. */
  readonly url: string | undefined;
  /** Whether nothing may be changed; the client of the internal API ensures that itself. */
  readonly isDryRun: boolean;
  /** Every command, in the order of the help. */
  readonly commands: readonly Command[];
  /**
   * Let the operator repeat a name before an action that cannot be undone, or read it from `--yes`; a dry run needs
   * none.
   * @throws CommandError if the name differs
   */
  readonly confirm: (name: string, what: string) => Promise<void>;
  /** Tell the operator something that is not part of the result. */
  readonly note: (text: string) => void;
  /** Make the exit status 1 although there is a result. */
  readonly fail: () => void;
}

/** One command of `npm run admin`. */
export interface Command {
  /** One to three words, such as `user find`. */
  readonly name: string;
  readonly summary: string;
  /** Examples of words after `npm run admin --`. */
  readonly examples: readonly string[];
  /** Arguments by name, in their order. */
  readonly arguments: Arguments;
  /** Own options by name; names differ from those of arguments and common options. */
  readonly options: Options;
  readonly effect: "reads" | "changes";
  /** The name that must be repeated before an action that cannot be undone, such as `the user's name`. */
  readonly confirms?: string;
  /** Whether the page leaves the command out. */
  readonly isForTerminal?: true;
  /**
   * @param values of arguments and options, by name
   * @returns the result to print, as text or as JSON; undefined to print only that it is done. Pieces are printed one
   * by one,
   *   a line each: objects as JSON, texts as they are
   */
  run(
    context: Context,
    values: Readonly<Record<string, Value>>,
  ): Promise<unknown> | AsyncIterable<object | string>;
}

type Definition<A extends Arguments, O extends Options> = Omit<Command, "arguments" | "options" | "run"> & {
  readonly arguments?: A;
  readonly options?: O;
  run(context: Context, values: ValuesOf<A, O>): ReturnType<Command["run"]>;
};

type Nothing = Readonly<Record<never, never>>;

/** A command whose `run` gets its values with their types. */
export const defineCommand = <const A extends Arguments = Nothing, const O extends Options = Nothing>(
  definition: Definition<A, O>,
): Command => ({ arguments: {}, options: {}, ...definition }) as Command;
