import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { deviceEvents, newDevice, registerDevice, removeDevice } from "../../support/devices.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { openSocket } from "../../support/socket.ts";
import { logIn, newUser, registeredUser, type User } from "../../support/users.ts";

const consumable = "consumable-notifications";
const consent = "legalhold-implicit-consent";

/** The same user with another connection. */
const withNewConnection = async (user: User): Promise<User> => ({
  ...user,
  token: (await logIn(user)).body.access_token,
});

describe.concurrent("device events", () => {
  it("reach all connections of the user but the one that made the change", async () => {
    const user = await newUser();
    const other = await withNewConnection(user);
    const [own, others] = [await openSocket("/await", user), await openSocket("/await", other)];
    const fields = {
      class: "phone",
      label: "Pocket",
      model: "P1",
      cookie: "c",
      capabilities: [consent, consumable],
    };
    const mls_public_keys = { ed25519: randomBytes(32).toString("base64") };
    const { id, time } = (await registerDevice(user, { ...fields, mls_public_keys })).body;
    await removeDevice(user, id, { password: user.password });

    const [added, removed] = await others.first(2);
    expect(added.payload).toEqual([
      {
        type: "user.client-add",
        client: {
          ...{ id, type: "permanent", time, ...fields, mls_public_keys },
          capabilities: { capabilities: [consent] },
        },
      },
    ]);
    expect(removed.payload).toEqual([{ type: "user.client-remove", client: { id } }]);
    expect(await deviceEvents(user, 2)).toEqual([...added.payload, ...removed.payload]);
    expect(own.frames).toEqual([]);
  });

  it("do not reach other users", async () => {
    const [user, stranger] = [await newUser(), await newUser()];
    const socket = await openSocket("/await", stranger);
    await registerDevice(user);
    await deviceEvents(user, 1);
    await registerDevice(stranger);
    expect(await deviceEvents(stranger, 1)).toHaveLength(1);
    expect(socket.frames).toEqual([]);
  });
});

describe.concurrent("the new-device mail", () => {
  it("is sent for a device that is added to others, and for no other change", async () => {
    const user = await registeredUser();
    const { email, password } = user;
    const first = newDevice();
    await registerDevice(user, first);
    await registerDevice(user, first);
    await registerDevice(user, { label: "New & <shiny>", model: "M2", password });
    const mail = await nextMessage(email, { count: 2 });
    expect(mail.headers["X-Svc-Purpose"]).toBe("NewDevice");
    expect(mail.text).toContain("New & <shiny>");
    expect(mail.text).toContain("M2");
    const purposes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Purpose"]);
    expect(purposes.filter((purpose) => purpose === "NewDevice")).toHaveLength(1);
  });
});
