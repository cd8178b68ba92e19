import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import type * as z from "zod";
import type { userDelete, userUpdate } from "#shared/accounts/events.ts";
import type { userConnection } from "#shared/conversations/connections/connection-view.ts";
import type { conversationCreate, conversationDelete } from "#shared/conversations/events/lifecycle.ts";
import type {
  conversationMemberJoin,
  conversationMemberLeave,
} from "#shared/conversations/events/members.ts";
import type {
  conversationMlsMessageAdd,
  conversationMlsWelcome,
  conversationOtrMessageAdd,
  conversationTyping,
} from "#shared/conversations/events/messages.ts";
import type { conversationRename } from "#shared/conversations/events/settings.ts";
import type { userClientAdd, userClientRemove } from "#shared/devices/events.ts";
import type { EventSpec } from "#shared/events/event.ts";
import type { Events, Notification, ServiceEvent } from "../../../examples/session/events.ts";
import { notifications, type Options } from "../../../examples/session/notifications.ts";
import { ApiError, call, Session } from "../../../examples/session/session.ts";
import { browserTest, hasBrowser, inBrowser } from "../../support/browser.ts";
import { bundleForBrowser } from "../../support/bundle-for-browser.ts";
import { registerDevice } from "../../support/devices.ts";
import { beginEffects } from "../../support/effects.ts";
import { eventSource, numbersIn, upTo } from "../../support/events.ts";
import { pythonLibrary } from "../../support/guides.ts";
import { hasPython, inPython, pythonEnvironment } from "../../support/python.ts";
import type { SessionPlan } from "../../support/session-walk.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, registeredUser, type User } from "../../support/users.ts";

/** A connection to a stack that the test can cut. */
interface Line {
  readonly url: string;
  cut(): void;
  mend(): void;
}

async function newLine(target: string): Promise<Line> {
  const ends = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(new URL(target).port), "127.0.0.1");
    for (const end of [near, far]) {
      ends.add(end);
      // A cut resets connections.
      end.on("error", () => undefined).on("close", () => [near, far].map((both) => both.destroy()));
    }
    if (isCut) near.destroy();
    near.pipe(far).pipe(near);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const drop = () => {
    for (const end of ends) end.destroy();
    ends.clear();
  };
  onTestFinished(() => {
    drop();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      drop();
    },
    mend: () => {
      isCut = false;
    },
  };
}

type Numbered = Notification & Parameters<typeof numbersIn>[0][number];

/** Publish numbered events to a user, all from one sender. */
const sender = (user: User, events = eventSource()) => {
  const group = crypto.randomUUID();
  return (...numbers: number[]) =>
    events.publish(...numbers.map((number) => ({ number, to: [{ userId: user.id }], sender: group })));
};

/** The numbers of a session's events, until the last one. */
async function numbersUntil(
  last: number,
  session: Session,
  { seen = () => undefined, ...options }: Options & { seen?: (number: number) => unknown } = {},
): Promise<number[]> {
  const all: number[] = [];
  for await (const notification of notifications(session, options)) {
    for (const number of numbersIn([notification as Numbered])) {
      if (number === undefined) continue;
      all.push(number);
      await seen(number);
    }
    if (all.includes(last)) break;
  }
  return all;
}

async function loggedIn(user: User, url = sharedStack().publicUrl): Promise<Session> {
  await beginEffects();
  return Session.logIn(url, user.email, user.password);
}

describe("a session", () => {
  it("renews its access token once when it has expired, for requests at the same time", async () => {
    const renewals: string[] = [];
    const stack = await stackWith(
      {},
      {
        isClockStopped: true,
        onRequest: ({ path }) => void (path.startsWith("/access") && renewals.push(path)),
      },
    );
    const user = await newUser({}, stack);
    const session = await loggedIn(user, stack.publicUrl);
    expect(await session.call("GET", "/self")).toMatchObject({ id: user.id });
    expect(renewals).toEqual([]);
    stack.advance(1000);

    const both = await Promise.all([session.call("GET", "/self"), session.call("GET", "/properties")]);
    expect(both[0]).toMatchObject({ id: user.id });
    expect(renewals).toHaveLength(1);
  });

  it("keeps its device and the cookie that replaces another", async () => {
    const stack = await stackWith({ setUserCookieRenewAge: 0 }, { isClockStopped: true });
    const user = await newUser({}, stack);
    const session = await loggedIn(user, stack.publicUrl);
    const first = session.saved;
    const kept: unknown[] = [];
    session.onChange = (saved) => kept.push(saved);
    stack.advance(1000);
    const { body: device } = await registerDevice(user, { password: user.password });
    await session.useDevice(device.id);

    expect(session.saved).toMatchObject({ user: user.id, device: device.id });
    expect(session.saved.cookie).not.toBe(first.cookie);
    expect(kept.at(-1)).toEqual(session.saved);
    const continued = new Session(stack.publicUrl, session.saved);
    expect(await continued.call("GET", "/self")).toMatchObject({ id: user.id });
  });

  it("throws errors with status and label", async () => {
    const { email } = await newUser();
    const login = Session.logIn(sharedStack().publicUrl, email, "wrong password");
    await expect(login).rejects.toMatchObject({ status: 403, label: "invalid-credentials" });
    const anonymous = call(sharedStack().publicUrl, "GET", "/self");
    await expect(anonymous).rejects.toBeInstanceOf(ApiError);
  });
});

describe("notifications", () => {
  it("come once and in order, although the socket closes and the token expires", async () => {
    const stack = await stackWith({}, { isClockStopped: true });
    const line = await newLine(stack.publicUrl);
    const user = await newUser({}, stack);
    const send = sender(user, eventSource(stack));
    const session = await loggedIn(user, line.url);
    await send(1);
    const changes: boolean[] = [];
    const numbers = await numbersUntil(7, session, {
      onConnection: (isOpen) => changes.push(isOpen),
      seen: async (number) => {
        // The first was missed before the socket opened, the second comes over it.
        if (number === 1) await send(2);
        if (number !== 2) return;
        line.cut();
        await send(3, 4, 5);
        stack.advance(1000);
        line.mend();
        await send(6, 7);
      },
    });

    expect(numbers).toEqual(upTo(7));
    expect(changes).toEqual([true, false, true]);
  });

  it("come once if they are both on the socket and in the list", async () => {
    const user = await newUser();
    const send = sender(user);
    const session = await loggedIn(user);
    const witness = await openSocket("/await", user);
    const list = session.call.bind(session);
    session.call = async (...request) => {
      // The socket is open, and what has been missed is about to be read.
      await send(2);
      await witness.until((frames) => numbersIn(frames).includes(2));
      return list(...request);
    };
    await send(1);
    const numbers = await numbersUntil(3, session, {
      seen: async (number) => number === 2 && (await send(3)),
    });
    expect(numbers).toEqual(upTo(3));
  });

  it("begin after the one that was handled last", async () => {
    const user = await newUser();
    const session = await loggedIn(user);
    const send = sender(user);
    await send(1, 2);
    let since: string | undefined;
    for await (const { id, payload } of notifications(session)) {
      if (numbersIn([{ id, payload } as Numbered]).includes(1)) {
        since = id;
        break;
      }
    }
    expect(await numbersUntil(2, session, { since })).toEqual([2]);
  });

  it("begin with the oldest that is kept, after a word about the gap", async () => {
    const user = await newUser();
    const session = await loggedIn(user);
    await sender(user)(1, 2);
    let gaps = 0;
    const since = "0e3e3b3a-6f6b-11f0-8000-0000000000ff";
    const numbers = await numbersUntil(2, session, { since, onGap: () => void gaps++ });
    expect(numbers).toEqual([1, 2]);
    expect(gaps).toBe(1);
  });

  it("end with the session", async () => {
    const user = await newUser();
    const session = await loggedIn(user);
    const numbers = numbersUntil(2, session, { seen: () => session.logOut() });
    await sender(user)(1);
    await expect(numbers).rejects.toMatchObject({ status: 403 });
  });

  it("end when they are no longer wanted, with or without a connection", async () => {
    const line = await newLine(sharedStack().publicUrl);
    const user = await newUser();
    const session = await loggedIn(user, line.url);
    const opened = new AbortController();
    const onConnection = (isOpen: boolean) => isOpen && opened.abort();
    expect(await numbersUntil(1, session, { signal: opened.signal, onConnection })).toEqual([]);

    line.cut();
    const failed = new AbortController();
    const onFailure = (isOpen: boolean) => !isOpen && failed.abort();
    expect(await numbersUntil(1, session, { signal: failed.signal, onConnection: onFailure })).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("a session on a page of another port", inBrowser, () => {
  browserTest("lives by the cookie that the browser keeps", async ({ newTab, newSite }) => {
    const { id, email, password } = await registeredUser();
    await beginEffects();
    const tab = await newTab({ javaScriptEnabled: true });
    await tab.goto((await newSite()).origin);
    await tab.addScriptTag({ content: await bundleForBrowser("session-walk.ts") });
    const { publicUrl } = sharedStack();
    const plan: SessionPlan = { publicUrl, email, password, until: "user.activate" };

    expect(await tab.evaluate(`bundle.walk(${JSON.stringify(plan)})`)).toEqual({
      cookie: "",
      self: id,
      over: 403,
    });
  });
});

describe.skipIf(!hasPython)("the session in Python", inPython, () => {
  it("yields notifications once and in order, although the socket closes and the token expires", async ({
    skip,
  }) => {
    const environment = pythonEnvironment(pythonLibrary());
    if (environment === undefined) return skip(`Needs ${inPython.meta.needs}`);
    const stack = await stackWith({}, { isClockStopped: true });
    const line = await newLine(stack.publicUrl);
    const user = await newUser({}, stack);
    const send = sender(user, eventSource(stack));
    const witness = await openSocket("/await", user, stack);
    await send(1);
    const walk = join(import.meta.dirname, "session_walk.py");
    const program = spawn(environment.python, [walk, line.url, user.email, user.password, "7"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, PYTHONPATH: resolve("examples/session"), PYTHONDONTWRITEBYTECODE: "1" },
    });
    onTestFinished(() => void program.kill());
    const lines: string[] = [];
    for await (const text of createInterface(program.stdout)) {
      if (text.startsWith("GET ")) {
        if (text === "GET /self") stack.advance(1000);
        // The socket is open: the second event comes both ways.
        else if (!lines.includes("1")) await send(2);
        await witness.until((frames) => numbersIn(frames).includes(2));
        program.stdin.write("\n");
        continue;
      }
      lines.push(text);
      if (text !== "2") continue;
      line.cut();
      await send(3, 4, 5);
      stack.advance(1000);
      line.mend();
      await send(6, 7);
    }
    expect(lines).toEqual(["invalid-credentials", ...upTo(7).map(String), `${user.id} over 403`]);
  });
});

/** An event as clients get it. */
type Sent<Spec extends EventSpec> = z.output<Spec["schema"]>;

it("the types of the example promise only what the service sends", () => {
  // Checked by the compiler, not by the run.
  expectTypeOf<{
    "user.update": Sent<typeof userUpdate>;
    "user.delete": Sent<typeof userDelete>;
    "user.connection": Sent<typeof userConnection>;
    "user.client-add": Sent<typeof userClientAdd>;
    "user.client-remove": Sent<typeof userClientRemove>;
    "conversation.create": Sent<typeof conversationCreate>;
    "conversation.rename": Sent<typeof conversationRename>;
    "conversation.delete": Sent<typeof conversationDelete>;
    "conversation.member-join": Sent<typeof conversationMemberJoin>;
    "conversation.member-leave": Sent<typeof conversationMemberLeave>;
    "conversation.typing": Sent<typeof conversationTyping>;
    "conversation.otr-message-add": Sent<typeof conversationOtrMessageAdd>;
    "conversation.mls-message-add": Sent<typeof conversationMlsMessageAdd>;
    "conversation.mls-welcome": Sent<typeof conversationMlsWelcome>;
  }>().toExtend<Events>();
  expectTypeOf<ServiceEvent["type"]>().toEqualTypeOf<keyof Events>();
});
