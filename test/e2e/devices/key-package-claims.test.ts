import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { putDevice } from "../../support/devices.ts";
import {
  type ClaimedPackage,
  claimPackages,
  countPackages,
  domain,
  makePackages,
  newMlsDevice,
  newMlsUser,
  referencesOf,
  replacePackages,
  requestClaim,
  uploadPackages,
} from "../../support/key-packages.ts";
import { concurrently } from "../../support/races.ts";
import { newUser } from "../../support/users.ts";

describe.concurrent("a claim", () => {
  it("returns one package of each device that has any, once", async () => {
    const [{ user, device }, claimer] = await Promise.all([newMlsUser(), newUser()]);
    const [sibling, empty] = [await newMlsDevice(user), await newMlsDevice(user)];
    const [made, ofSibling] = await Promise.all([device.make(), sibling.make()]);
    await Promise.all([uploadPackages(device, made), uploadPackages(sibling, ofSibling)]);
    await uploadPackages(empty, await empty.make({ suite: 0x0002 }));
    const [reference, siblingReference] = await referencesOf([made, ofSibling]);

    const { status, body } = await requestClaim(claimer.token, user.id);
    expect(status).toBe(200);
    const fixed = { user: user.id, domain };
    expect(Object.keys(body)).toEqual(["key_packages"]);
    expect(body.key_packages).toHaveLength(2);
    expect(body.key_packages).toEqual(
      expect.arrayContaining([
        { ...fixed, client: device.clientId, key_package_ref: reference, key_package: made },
        { ...fixed, client: sibling.clientId, key_package_ref: siblingReference, key_package: ofSibling },
      ]),
    );
    expect(await claimPackages(claimer.token, user.id)).toEqual([]);
    expect([
      await countPackages(device),
      await countPackages(sibling),
      await countPackages(empty, "0x0002"),
    ]).toEqual([0, 0, 1]);
  });

  it("gives concurrent callers different packages, and nothing once none is left", async () => {
    const [{ user, device }, claimer] = await Promise.all([newMlsUser(), newUser()]);
    await connectUsers(claimer, user);
    await uploadPackages(device, ...(await makePackages(device, 5)));
    const claimed = await concurrently(20, () => claimPackages(claimer.token, user.id));
    expect(claimed.filter((entries) => entries.length === 1)).toHaveLength(5);
    expect(new Set(claimed.flat().map((entry) => entry.key_package_ref)).size).toBe(5);
    expect(await countPackages(device)).toBe(0);
  });

  it("skips the calling device and the one in skip_own when users claim their own packages", async () => {
    const { user, device } = await newMlsUser();
    const sibling = await newMlsDevice(user);
    const fill = async () => {
      for (const one of [device, sibling]) await replacePackages(one, "1", await one.make());
    };
    const clientsOf = async (token: string, query = "") =>
      (await claimPackages(token, user.id, `ciphersuite=0x0001${query}`))
        .map(({ client }) => client)
        .toSorted();
    const both = [device.clientId, sibling.clientId].toSorted();

    await fill();
    expect(await clientsOf(device.token)).toEqual([sibling.clientId]);
    expect(await countPackages(device)).toBe(1);
    await fill();
    expect(await clientsOf(user.token)).toEqual(both);
    await fill();
    expect(await clientsOf(user.token, `&skip_own=${sibling.clientId}`)).toEqual([device.clientId]);
    await fill();
    expect(await clientsOf(device.token, `&skip_own=${sibling.clientId}`)).toEqual([]);
    await fill();
    const stranger = await newUser();
    expect(await clientsOf(stranger.token, `&skip_own=${sibling.clientId}`)).toEqual(both);
  });

  it("takes the user's own packages when the path names no user, and skips the calling device on request", async () => {
    const { user, device } = await newMlsUser();
    const sibling = await newMlsDevice(user);
    const packages = [...(await makePackages(device, 2)), await device.make({ suite: 0x0002 })];
    await uploadPackages(device, ...packages);
    await uploadPackages(sibling, ...(await makePackages(sibling, 2)));
    const claimOwn = async (prefix: string, query = ""): Promise<ClaimedPackage[]> => {
      const { body } = await api("POST", `${prefix}/mls/key-packages/claim${query}`, { token: device.token });
      return body.key_packages;
    };
    const both = [device.clientId, sibling.clientId].toSorted();

    expect((await claimOwn("", "?skip_own=true")).map(({ client }) => client)).toEqual([sibling.clientId]);
    expect((await claimOwn("/v8")).map(({ client }) => client).toSorted()).toEqual(both);
    expect((await claimOwn("/v5", "?skip_own=false")).map(({ client }) => client)).toEqual([device.clientId]);
    const [entry] = await claimOwn("/v9", "?ciphersuite=0x0002");
    expect(entry).toEqual({
      user: user.id,
      domain,
      client: device.clientId,
      key_package: packages[2],
      key_package_ref: (await referencesOf(packages))[2],
    });
  });

  it("is limited to existing, active and local users", async () => {
    const [{ user, device }, { token }] = await Promise.all([newMlsUser(), newUser()]);
    await uploadPackages(device, await device.make());
    expect(outcome(await requestClaim(token, randomUUID()))).toBe("400 invalid-user");
    expect(outcome(await requestClaim(token, user.id, undefined, "example.com"))).toBe(
      "400 federation-not-enabled",
    );

    const status = (word: string) =>
      internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: word } });
    await status("suspended");
    expect(outcome(await requestClaim(token, user.id))).toBe("400 invalid-user");
    await status("active");
    expect(await claimPackages(token, user.id)).toHaveLength(1);
  });

  it("is refused with 409 mls-legal-hold-not-allowed for a user under legal hold, and takes nothing", async () => {
    const { user, device } = await newMlsUser();
    await uploadPackages(device, await device.make());
    await putDevice(user, { clientId: "00c0ffee00c0ffee", type: "legalhold" });
    const other = await newUser();
    for (const { token } of [user, other])
      expect(outcome(await requestClaim(token, user.id))).toBe("409 mls-legal-hold-not-allowed");
    expect(await countPackages(device)).toBe(1);
  });
});
