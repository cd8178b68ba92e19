import type * as z from "zod";
import type { Settings } from "../product.ts";

/** Further data for an adapter. */
export interface FormContext {
  readonly settings: Settings;
  /** Whether the path named the version. */
  readonly isPrefixed: boolean;
}

/** Adapters between an older form of an operation and today's; they may also refuse, by an `ApiError`. */
export interface FormAdapters {
  /** Returns those parts of the input that differ in today's request. */
  readonly request?: (input: never, context: FormContext) => object;
  /** Turns today's body into the older one, by today's status. Fields that the older schema lacks are stripped anyway. */
  readonly answer?: Readonly<Record<number, (body: never, context: FormContext) => unknown>>;
}

/** Output of a schema; undefined where there is none. */
export type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type InputPart = "params" | "query" | "headers" | "body";
type PartOf<Row, Part> = Part extends keyof Row ? Parsed<Row[Part]> : undefined;
type BodyOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** The row of an older form: today's row with the differences of the form. */
type RowOfForm<Row, Form> = Omit<Row, keyof Form> & Form;

/** Parts of the older input that lack something for today's handler. */
type UnfitPart<Row, Form> = {
  [Part in InputPart]: PartOf<Row, Part> extends undefined
    ? never
    : PartOf<RowOfForm<Row, Form>, Part> extends PartOf<Row, Part>
      ? never
      : Part;
}[InputPart];

type RequestAdapter<Row, Form> = (
  input: { readonly [Part in InputPart]: PartOf<RowOfForm<Row, Form>, Part> },
  context: FormContext,
) => { readonly [Part in UnfitPart<Row, Form>]: PartOf<Row, Part> } & {
  readonly [Part in InputPart]?: PartOf<Row, Part>;
};

type ResponsesOf<Row> = Row extends { readonly responses: infer Responses } ? Responses : never;

/** The older body of a status; none if the form lacks the status. */
type OlderBody<Row, Form, Status> = Status extends keyof ResponsesOf<RowOfForm<Row, Form>>
  ? BodyOf<ResponsesOf<RowOfForm<Row, Form>>[Status]>
  : never;

/** Statuses whose body today would not fit the older schema. */
type UnfitStatus<Row, Form> = {
  [Status in keyof ResponsesOf<Row>]: [BodyOf<ResponsesOf<Row>[Status]>] extends [
    OlderBody<Row, Form, Status>,
  ]
    ? never
    : Status;
}[keyof ResponsesOf<Row>];

type AnswerAdapters<Row, Form> = {
  readonly [Status in UnfitStatus<Row, Form>]: AnswerAdapter<Row, Form, Status>;
} & { readonly [Status in keyof ResponsesOf<Row>]?: AnswerAdapter<Row, Form, Status> };

type AnswerAdapter<Row, Form, Status extends keyof ResponsesOf<Row>> = (
  body: BodyOf<ResponsesOf<Row>[Status]>,
  context: FormContext,
) => OlderBody<Row, Form, Status>;

/** The adapters that a form needs, and others that it may have. */
export type AdaptersOf<Row, Form> = ([UnfitPart<Row, Form>] extends [never]
  ? { readonly request?: RequestAdapter<Row, Form> }
  : { readonly request: RequestAdapter<Row, Form> }) &
  ([UnfitStatus<Row, Form>] extends [never]
    ? { readonly answer?: AnswerAdapters<Row, Form> }
    : { readonly answer: AnswerAdapters<Row, Form> });
