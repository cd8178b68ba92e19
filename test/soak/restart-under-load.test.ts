import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { newDataFolder, startOwnRunner } from "../support/own-runner.ts";
import { activate, activationCode, logIn, newEmail, register, somePassword } from "../support/users.ts";

describe("a process that dies", () => {
  it("keeps every activation that was acknowledged under load, and leaves no partial account", async () => {
    const folder = newDataFolder();
    const runner = await startOwnRunner(folder);
    const begun: string[] = [];
    const activated: string[] = [];
    const writers = Array.from({ length: 6 }, async () => {
      for (;;) {
        const email = newEmail();
        begun.push(email);
        const registered = await register({ email, password: somePassword }, runner);
        const { status } = await activate({ email }, runner);
        if (registered.status === 201 && status === 200) activated.push(email);
      }
    });
    const ends = Promise.allSettled(writers);
    await eventually(() => expect(activated.length).toBeGreaterThan(40));
    await runner.kill();
    await ends;

    const restarted = await startOwnRunner(folder);
    const logins = new Map(
      await Promise.all(
        begun.map(async (email) => {
          const { status, body } = await logIn({ email, password: somePassword }, { apis: restarted });
          return [email, status === 200 ? "200" : `${status} ${body.label}`] as const;
        }),
      ),
    );
    for (const email of activated) expect(logins.get(email)).toBe("200");

    const others = begun.filter((email) => !activated.includes(email));
    expect(others.length).toBeGreaterThan(0);
    for (const email of others) {
      const login = logins.get(email);
      if (login === "200") continue;
      expect(["403 pending-activation", "403 invalid-credentials"]).toContain(login);
      // Either the whole account exists, with its code, or nothing of it.
      if (login === "403 invalid-credentials") await register({ email, password: somePassword }, restarted);
      const { code } = await activationCode({ email }, restarted);
      const { body } = await restarted.publicApi("POST", "/activate", { json: { email, code } });
      expect(body).toEqual({ email, first: true });
      expect((await logIn({ email, password: somePassword }, { apis: restarted })).status).toBe(200);
    }
  });
});
