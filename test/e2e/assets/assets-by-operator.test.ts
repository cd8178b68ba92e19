import { beforeAll, describe, expect, it } from "vitest";
import { adminOf, runAdmin } from "../../support/admin.ts";
import { internalApi, outcome } from "../../support/api.ts";
import { download, fetchBytes, locationOf, upload } from "../../support/assets.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

let stack: Awaited<ReturnType<typeof stackWith>>;
beforeAll(async () => {
  stack = await stackWith({});
});
const admin = (...args: string[]) => adminOf(stack).admin(...args);
const resultOf = (...args: string[]) => adminOf(stack).resultOf(...args);

const record = (key: string) => internalApi("GET", `/i/assets/${key}/record`);

describe("a file", () => {
  it("is shown without its content or token, and deleted, by an operator", async () => {
    const user = await newUser();
    const file = await upload(user);
    const address = locationOf(await download(user, file.key));
    expect(await record(file.key)).toMatchObject({
      status: 200,
      body: { key: file.key, owner: { kind: "user", id: user.id }, public: false },
    });

    expect((await internalApi("DELETE", `/i/assets/${file.key}`)).status).toBe(200);
    expect((await fetchBytes(address)).status).toBe(404);
    expect(outcome(await record(file.key))).toBe("404 not-found");
    expect(outcome(await internalApi("DELETE", `/i/assets/${file.key}`))).toBe("404 not-found");
  });

  it("that cannot exist returns 404", async () => {
    expect(outcome(await record("3-9-none"))).toBe("404 not-found");
    expect(outcome(await internalApi("DELETE", "/i/assets/3-9-none"))).toBe("404 not-found");
  });

  it("is found by its owner, and deleted only if its key is repeated", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const [older, newer] = [await upload(user), await upload(user, { options: { public: true } })];
    await upload(other);
    const keys = async () => {
      const list = ["assets", "list", "--owner", user.id, "--json", "--table-prefix", stack.prefix];
      const { stdout } = await runAdmin(list);
      return (JSON.parse(stdout) as { key: string }[]).map(({ key }) => key).toSorted();
    };
    expect(await keys()).toEqual([older.key, newer.key].toSorted());

    expect((await runAdmin(["assets", "list", "--owner", "ada", "--table-prefix", "any"])).stderr).toBe(
      "Not an id: ada",
    );
    expect(await resultOf("assets", "show", newer.key)).toMatchObject({ public: true });
    expect(await admin("assets", "delete", newer.key, "--yes", older.key)).toMatchObject({ code: 1 });
    await resultOf("assets", "delete", newer.key, "--yes", newer.key);
    expect(await keys()).toEqual([older.key]);
  });
});
