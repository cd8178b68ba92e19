import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import {
  type CallExpression,
  type Expression,
  type MemberExpression,
  parseSync,
  type Span,
  Visitor,
} from "oxc-parser";
import * as z from "zod";
import { failUnless } from "./stand-in.ts";

/**
 * Lets functions build each schema when it is first used, since a request needs few of its function's schemas. Every
 * outermost call of zod that makes a schema is wrapped in a function.
 */
export const lazySchemas: Plugin = {
  name: "lazy-schemas",
  setup({ onLoad, onEnd }) {
    onLoad({ filter: /\/(?:functions|shared)\/.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      if (!importsZod.test(source)) return undefined;
      return { contents: withLazySchemas(path, withPureEvents(source)), loader: "ts" };
    });
    const unknown = unknownNames(z);
    onEnd(() => failUnless(unknown.length === 0, `zod has no ${unknown.join(", no ")} any more`));
  },
};

/** The given names of schema functions that zod does not have. */
export const unknownNames = (zod: { readonly iso: object }): string[] =>
  [...makers].filter((name) => !(name in zod || name in zod.iso));

/** Matches sources that import zod, which all do in this form. */
export const importsZod = /^import \* as z from "zod";$/m;

/**
 * Names that follow `z` where a schema is made. Schemas made by functions that are missing here are built when the
 * Lambda function starts.
 */
const makers = new Set(
  `array base64 base64url boolean codec coerce custom datetime discriminatedUnion email enum guid hostname instanceof
  int int32 iso literal looseObject never null number object partialRecord preprocess record strictObject string tuple
  undefined union unknown url uuid`.split(/\s+/),
);
/**
 * Methods that derive a schema from another one. In modules that import zod, only schemas have methods of these names.
 */
const methods = new Set(
  `default exclude extend extract meta nullable nullish omit optional partial pick prefault refine safeExtend
  superRefine transform unwrap`.split(/\s+/),
);
/** Methods of schemas whose names other objects also have. */
const sharedMethods = new Set(
  "catch length max min overwrite pipe readonly regex rest toLowerCase".split(" "),
);

/**
 * Lets a bundle leave out the events and kinds of items of a file that its function does not use. `sideEffects` in
 * package.json does the same for whole files.
 */
export const withPureEvents = (source: string): string =>
  source.replace(/^((?:export )?const \w+ = )((?:define\w*Event|storedItem)\()/gm, "$1/* @__PURE__ */ $2");

/** No line moves, so that stack traces stay right. */
export function withLazySchemas(path: string, source: string): string {
  let contents = 'import { schemaOnDemand } from "#lib/bundle/schema-on-demand.ts";';
  let end = 0;
  for (const call of schemaCalls(path, source)) {
    const text = source.slice(call.start, call.end);
    contents += `${source.slice(end, call.start)}/* @__PURE__ */ schemaOnDemand(() => ${text})`;
    end = call.end;
  }
  return contents + source.slice(end);
}

/** The outermost calls that make a schema, in the order of the text. */
function schemaCalls(path: string, source: string): Span[] {
  const calls: Span[] = [];
  let statement: Expression | undefined;
  new Visitor({
    // A call that is made for its effect.
    ExpressionStatement({ expression }) {
      statement = expression;
    },
    CallExpression(call) {
      const isInside = call.start < (calls.at(-1)?.end ?? 0);
      if (!isInside && call !== statement && makesSchema(call)) calls.push(call);
    },
  }).visit(parseSync(path, source).program);
  return calls;
}

/** Whether it is `z.….…()`, `storedObject(…)`, or a chain of a schema's methods: `schema.optional().meta(…)`. */
function makesSchema(outermost: CallExpression): boolean {
  const names: string[] = [];
  const called: string[] = [];
  let call: CallExpression | undefined;
  let expression: Expression = outermost;
  while (expression.type === "CallExpression" || expression.type === "MemberExpression") {
    if (expression.optional) return false;
    if (expression.type === "CallExpression") {
      call = expression;
      expression = expression.callee;
      continue;
    }
    const name = nameOf(expression, call);
    names.push(name);
    if (call) called.push(name);
    call = undefined;
    expression = expression.object;
  }
  const root = expression.type === "Identifier" ? expression.name : "";
  if (root === "storedObject") return names.every(isMethod);
  if (root === "z") return names.every((name) => makers.has(name) || isMethod(name));
  return called.every(isMethod) && called.some((name) => methods.has(name));
}

const isMethod = (name: string) => methods.has(name) || sharedMethods.has(name);

/** Name of a method, if it is plain and the call does not read something, as `meta` without arguments does. */
function nameOf({ property }: MemberExpression, call: CallExpression | undefined): string {
  if (property.type !== "Identifier") return "";
  return property.name === "meta" && call?.arguments.length === 0 ? "" : property.name;
}
