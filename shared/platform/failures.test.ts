import { describe, expect, it } from "vitest";
import { Failures } from "./failures.ts";

const failing = () => Promise.reject(new RangeError("cannot be done"));

describe("a job that runs out of time", () => {
  it("continues when nothing has failed", () => {
    expect(new Failures("members").throwIfStuckOr("rest")).toBe("rest");
  });

  it("continues when some steps have succeeded and others failed", async () => {
    const failures = new Failures("members");
    await failures.collectAll([failing(), Promise.resolve()]);
    expect(failures.throwIfStuckOr("rest")).toBe("rest");
    expect(() => failures.throwOr("done")).toThrow("1 members are left");
  });

  it("fails when everything that it tried has failed", async () => {
    const failures = new Failures("members");
    await failures.collectAll([failing(), failing()]);
    expect(() => failures.throwIfStuckOr("rest")).toThrow("2 members are left");
    expect(failures.find(RangeError)).toBeInstanceOf(RangeError);
    expect(failures.find(TypeError)).toBeUndefined();
  });
});

describe("an error of many failures", () => {
  it("has the first of them as its cause, which is all that a log shows of them", async () => {
    const failures = new Failures("members");
    await failures.collectAll([failing(), Promise.reject(new TypeError("another"))]);
    expect(() => failures.throwOr("done")).toThrow(
      expect.objectContaining({ message: "2 members are left", cause: new RangeError("cannot be done") }),
    );
  });
});
