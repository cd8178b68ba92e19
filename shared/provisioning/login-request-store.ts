import { createHash } from "node:crypto";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type LoginRequest, loginRequest } from "./login-request.ts";

/** A response has been used before: its request was answered, or one of its assertions was seen. */
export class ReplayError extends Error {
  override readonly name = "ReplayError";
}

/** An assertion that must not be used again. */
export interface SeenAssertion {
  readonly issuer: string;
  readonly id: string;
  /** Seconds from which it is refused anyway. */
  readonly purgeAtSeconds: number;
}

const requestKey = (id: string) => ({ owner: `request#${id}`, entry: "request" });
/** A hash, because issuers and ids may be longer than a key. */
const assertionKey = ({ issuer, id }: SeenAssertion) => ({
  owner: `assertion#${createHash("sha256")
    .update(JSON.stringify([issuer, id]))
    .digest("hex")}`,
  entry: "assertion",
});

declareItem(
  {
    table: "provisioning",
    kind: "assertion",
    key: ["assertion#*", "assertion"],
    subject: { nobody: "ids of answers that were used" },
  },
  storedObject({}),
);

/** Started logins, and the assertions that answered them. Access pattern: request by id. */
export class LoginRequestStore {
  readonly #table: Table<"provisioning">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "provisioning");
  }

  async create(request: LoginRequest): Promise<void> {
    await this.#table.put({ ...requestKey(request.id), ...request });
  }

  async get(id: string): Promise<LoginRequest | undefined> {
    const item = await this.#table.get(requestKey(id));
    return item && loginRequest.parseOrAbsent(item);
  }

  /** Writes that use up a request and the assertions that answer it. Rejected as `ReplayError`. */
  answer({ id }: Pick<LoginRequest, "id">, assertions: readonly SeenAssertion[]): Write[] {
    return [
      this.#table.updateWrite(requestKey(id), {
        UpdateExpression: "SET isAnswered = :true",
        ConditionExpression: "attribute_exists(#owner) AND attribute_not_exists(isAnswered)",
        ExpressionAttributeNames: { "#owner": "owner" },
        ExpressionAttributeValues: { ":true": true },
        onRejected: () => new ReplayError("The request has been answered before"),
      }),
      ...assertions.map((assertion) =>
        this.#table.putWrite(
          { ...assertionKey(assertion), purgeAtSeconds: assertion.purgeAtSeconds },
          {
            ConditionExpression: "attribute_not_exists(#owner)",
            ExpressionAttributeNames: { "#owner": "owner" },
            onRejected: () => new ReplayError("The assertion has been used before"),
          },
        ),
      ),
    ];
  }
}
