import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { type CallExpression, type Expression, parseSync, type Span, Visitor } from "oxc-parser";

/**
 * Lets functions build each schema when it is first used: a request needs few of those that its function has. Every
 * outermost call of zod that makes a schema is put into a function.
 */
export const lazySchemas: Plugin = {
  name: "lazy-schemas",
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:functions|shared)\/.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      return importsZod.test(source) ? { contents: withLazySchemas(path, source), loader: "ts" } : undefined;
    });
  },
};

/** Whether a source makes schemas. */
export const importsZod = /^import \* as z from "zod";$/m;

/** Functions of zod, and methods of its schemas, that make something else. */
const others =
  /^(?:safe)?(?:parse|encode|decode|Parse|Encode|Decode)(?:Async)?$|Error$|^is[A-Z]|^(?:config|core|globalRegistry|registry|toJSONSchema)$/;
/** Methods that turn a schema into another one, and that nothing but schemas has where zod is imported. */
const methodsOfSchemas =
  /^(?:default|exclude|extend|extract|meta|nullable|nullish|omit|optional|partial|pick|prefault|refine|safeExtend|superRefine|transform|unwrap)$/;

/** Every line stays where it was, so that stack traces lead there. */
export function withLazySchemas(path: string, source: string): string {
  let contents = 'import { schemaOnDemand } from "#lib/schema-on-demand.ts";';
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
  new Visitor({
    CallExpression(call) {
      const isInside = call.start < (calls.at(-1)?.end ?? 0);
      if (!isInside && makesSchema(call)) calls.push(call);
    },
  }).visit(parseSync(path, source).program);
  return calls;
}

/** Whether it is `z.….…()`, or methods of a schema in a row: `schema.optional().meta(…)`. */
function makesSchema(outermost: CallExpression): boolean {
  const names: string[] = [];
  const isMethodOfSchema: boolean[] = [];
  let call: CallExpression | undefined;
  let expression: Expression = outermost;
  while (expression.type === "CallExpression" || expression.type === "MemberExpression") {
    if (expression.type === "CallExpression") {
      call = expression;
      expression = expression.callee;
      continue;
    }
    const name = expression.property.type === "Identifier" ? expression.property.name : "";
    names.push(name);
    // Without arguments, `meta` reads.
    const isRead = name === "meta" && call?.arguments.length === 0;
    if (call) isMethodOfSchema.push(methodsOfSchemas.test(name) && !isRead);
    call = undefined;
    expression = expression.object;
  }
  const isOfZod = expression.type === "Identifier" && expression.name === "z";
  if (isOfZod) return !names.some((name) => others.test(name));
  return isMethodOfSchema.length > 0 && isMethodOfSchema.every((is) => is);
}
