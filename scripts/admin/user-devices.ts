import { user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { theUser } from "./find-user.ts";
import { InternalApi } from "./internal-api.ts";

/** The part of a user's devices that the commands show. */
export async function devicesOf(api: InternalApi, userId: string) {
  const devices: Device[] = await api.read("/clients", InternalApi.as(userId));
  return devices.map(({ id, type, class: kind, model, label, time, last_active }) => ({
    id,
    type,
    class: kind,
    model,
    label,
    added: time,
    last_active,
  }));
}

type Device = Readonly<Record<"id" | "type" | "time", string>> &
  Readonly<Partial<Record<"class" | "model" | "label" | "last_active", string>>>;

export const userDevicesList = defineCommand({
  name: "user devices list",
  summary: "List the devices of a user",
  examples: ["user devices list ada@example.com --stage prod"],
  effect: "reads",
  arguments: { user },
  run: async ({ api }, values) => devicesOf(api, (await theUser(api, values.user)).id),
});

export const userDevicesRemove = defineCommand({
  name: "user devices remove",
  summary: "Remove a device of a user with its keys, and log it out",
  examples: ['user devices remove ada@example.com 3f1a9c --stage prod --yes "Ada Lovelace"'],
  effect: "changes",
  confirms: "the user's name",
  arguments: { user, device: { kind: "id", description: "id of the device, from user devices list" } },
  async run({ api, confirm }, values) {
    const { id, name } = await theUser(api, values.user);
    await confirm(name, `the user ${id}`);
    await api.call("DELETE", `/i/users/${id}/clients/${encodeURIComponent(values.device)}`);
  },
});

export const userSessionsList = defineCommand({
  name: "user sessions list",
  summary: "List the sessions of a user; user log-out ends them all",
  examples: ["user sessions list ada@example.com --stage prod"],
  effect: "reads",
  arguments: { user },
  async run({ api }, values) {
    const { id } = await theUser(api, values.user);
    return (await sessionsOf(api, id)).map(({ id: session, type, label, created, expires }) => ({
      id: session,
      type,
      label: label ?? undefined,
      created,
      expires,
    }));
  },
});

/** A user's sessions, each by its newest cookie. The API also lists cookies that have expired or been replaced. */
export async function sessionsOf(api: InternalApi, userId: string): Promise<Cookie[]> {
  const { cookies }: { cookies: Cookie[] } = await api.read("/cookies", InternalApi.as(userId));
  return cookies.filter(({ expires, successor }) => Date.parse(expires) > Date.now() && successor === null);
}

interface Cookie {
  readonly id: number;
  readonly type: string;
  readonly label: string | null;
  readonly created: string;
  readonly expires: string;
  readonly successor: number | null;
}
