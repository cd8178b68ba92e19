import type { InternalApi } from "./internal-api.ts";

/** What a value is; pages and completion choose by it how it is entered. */
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
  /** Stands for a value of an option in the help, such as `NAME`. */
  readonly placeholder?: string;
  /** The values of the kind `choice`. */
  readonly choices?: readonly string[];
  /** Bounds of the kind `integer`, inclusive. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** It may be given several times; of arguments, the last only. */
  readonly isRepeated?: true;
}

/** A value by its place behind the name of the command. */
export interface Argument extends Field {
  /** Optional ones follow those that are not. */
  readonly isOptional?: true;
}

/** A value behind `--NAME`, or the bare `--NAME` of the kind `flag`. */
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

/** What a command gets besides its values. */
export interface Context {
  /** Connects at the first request. */
  readonly api: InternalApi;
  /** The deployed stage that is meant; undefined: this machine. */
  readonly stage: string | undefined;
  /** Another address of this machine than that of `npm start`. */
  readonly url: string | undefined;
  /** Nothing may be changed; the internal API sees to that itself. */
  readonly isDryRun: boolean;
  /** Every command, in the order of the help. */
  readonly commands: readonly Command[];
  /**
   * Let the operator repeat a name before something that cannot be undone, or read it from `--yes`; a dry run needs none.
   * @throws CommandError if it is another one
   */
  readonly confirm: (name: string, what: string) => Promise<void>;
  /** Tell the operator something that is no part of the result. */
  readonly note: (text: string) => void;
  /** The exit status is 1 although there is a result. */
  readonly fail: () => void;
}

/** One command of `npm run admin`. */
export interface Command {
  /** One to three words, such as `user find`. */
  readonly name: string;
  readonly summary: string;
  /** What can be typed after `npm run admin --`. */
  readonly examples: readonly string[];
  /** By name, in their order. */
  readonly arguments: Arguments;
  /** Own options by name; none has the name of an argument or a common option. */
  readonly options: Options;
  readonly effect: "reads" | "changes";
  /** What must be repeated before something that cannot be undone, such as `the user's name`. */
  readonly confirms?: string;
  /** The page does not offer it. */
  readonly isForTerminal?: true;
  /**
   * @param values of arguments and options, by name
   * @returns what is printed, as text or as JSON; undefined: only that it is done. What comes piece by piece is printed so,
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
