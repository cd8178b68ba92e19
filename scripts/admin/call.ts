import { internalOperations } from "./api-documents.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { type Operation, toRequest } from "./operations.ts";

export const call = defineCommand({
  name: "call",
  summary:
    "Call any operation of docs/openapi-internal.json with its parameters and the fields of its body; without one, list all",
  examples: [
    "call | grep team",
    "call i-get-user-status uid=8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
    "call i-create-oauth-client application_name=Calendar redirect_url=https://app.example.com/callback --stage prod",
    "call i-delete-team tid=8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 force=true --yes i-delete-team",
  ],
  effect: "changes",
  confirms: "the operation's id, if it deletes something",
  arguments: {
    operation: { kind: "text", description: "id of the operation", isOptional: true },
    "key=value": {
      kind: "text",
      description: "a parameter, or a field of the body",
      isOptional: true,
      isRepeated: true,
    },
  },
  options: { body: { kind: "json", description: "the whole body instead of its fields" } },
  async run({ api, confirm }, { operation: id, "key=value": pairs, body }) {
    const operations = internalOperations();
    if (id === undefined)
      return operations.map(({ operationId, method, path, summary }) => ({
        operation: operationId,
        method,
        path,
        summary,
      }));
    const operation = named(operations, id);
    const { path, ...request } = toRequest(operation, pairs, body);
    if (operation.method === "DELETE") await confirm(id, path);
    return api.call(operation.method, path, request);
  },
});

function named(operations: readonly Operation[], id: string): Operation {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found !== undefined) return found;
  const similar = operations.map(({ operationId }) => operationId).filter((one) => one.includes(id));
  const hint = similar.length > 0 ? `: did you mean ${similar.slice(0, 5).join(", ")}?` : "";
  throw new CommandError(`There is no operation ${id}${hint}`);
}
