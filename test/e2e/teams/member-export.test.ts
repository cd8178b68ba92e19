import { describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { addCrowd } from "../../support/crowds.ts";
import { registerDevice } from "../../support/devices.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const accounts = accountEditor();

const exportOf = (team: Team, { token }: Pick<User, "token">) =>
  api("GET", `/teams/${team.id}/members/csv`, { token });

/** Fields of each line. */
const rowsIn = (csv: string): string[][] =>
  csv
    .split("\r\n")
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, field = ""]) => field.replaceAll('""', '"')),
    );

const columns =
  "display_name,handle,email,role,created_on,invited_by,idp_issuer,managed_by,saml_name_id,scim_external_id," +
  "scim_rich_info,user_id,num_devices,last_active,status";

/** The row of a user by column. */
function rowOf(csv: string, { id }: Pick<User, "id">): Record<string, string> {
  const [heading = [], ...rows] = rowsIn(csv);
  const row = rows.find((fields) => fields.includes(id)) ?? [];
  return Object.fromEntries(heading.map((column, index) => [column, row[index] ?? ""]));
}

describe.concurrent("the export of a team's members", () => {
  it("is a file with a heading and a line for each member", async () => {
    const team = await newTeam();
    const handle = `h${team.id.slice(0, 12)}`;
    await accounts.change(team.owner, { handle });
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    await accounts.change(member, { managedByScim: true });
    const { body: device } = await registerDevice(member, {});
    await api("GET", `/notifications?client=${device.id}`, { token: member.token });
    const richInfo = { version: 3, fields: [{ type: "Department", value: 'Sales "West"' }] };
    await internalApi("PUT", `/i/users/${admin.id}/rich-info`, { json: { rich_info: richInfo } });

    const { status, headers, body } = await exportOf(team, admin);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv");
    expect(headers.get("content-disposition")).toBe('attachment; filename="svc_team_members.csv"');
    expect(headers.get("content-encoding")).toBeNull();
    const [heading, ...rows] = rowsIn(body);
    expect(heading?.join()).toBe(columns);
    expect(rows).toHaveLength(3);
    expect(rowOf(body, team.owner)).toEqual({
      ...Object.fromEntries(columns.split(",").map((column) => [column, ""])),
      display_name: "Ada",
      handle,
      email: team.owner.email,
      role: "owner",
      managed_by: "svc",
      user_id: team.owner.id,
      num_devices: "0",
      status: "active",
    });
    expect(rowOf(body, member)).toMatchObject({
      role: "member",
      created_on: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/),
      invited_by: handle,
      managed_by: "scim",
      num_devices: "1",
      last_active: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
    expect(rowOf(body, admin).scim_rich_info).toBe(JSON.stringify(richInfo));
  });

  it("keeps spreadsheets from executing what members write", async () => {
    const team = await newTeam({ owner: { name: "=1+1" } });
    const { body } = await exportOf(team, team.owner);
    expect(body.split("\r\n")[1]).toMatch(/^"'=1\+1",/);
  });

  it("is allowed only for admins and owners", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const [member, partner] = await Promise.all([team.add(), team.add("partner")]);
    for (const user of [member, partner, other.owner, await newUser()])
      expect(outcome(await exportOf(team, user))).toBe("403 access-denied");
  });

  it("lists suspended members, but none who have left", async () => {
    const team = await newTeam();
    const [suspended, gone] = await Promise.all([team.add(), team.add()]);
    await internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    await internalApi("DELETE", `/i/users/${gone.id}`);
    const { body } = await exportOf(team, team.owner);
    expect(rowOf(body, suspended).status).toBe("suspended");
    expect(body).not.toContain(gone.id);
  });

  it("contains everybody in a large team, compressed for clients that accept it", async () => {
    const team = await newTeam();
    const userIds = await addCrowd(team, { size: 501 });
    const plain = await exportOf(team, team.owner);
    const listed = rowsIn(plain.body)
      .slice(1)
      .map((fields) => fields[columns.split(",").indexOf("user_id")]);
    expect(listed).toEqual([team.owner.id, ...userIds].sort());
    // Asks for compressed answers, and inflates them.
    const compressed = await fetch(`${sharedStack().publicUrl}/teams/${team.id}/members/csv`, {
      headers: { authorization: `Bearer ${team.owner.token}` },
    });
    expect(compressed.headers.get("content-encoding")).toBe("gzip");
    expect(await compressed.text()).toBe(plain.body);
  });
});
