import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { domain, newMlsDevice, referenceOf, schemes } from "../../support/key-packages.ts";
import { newMlsClient, removal } from "../../support/mls.ts";
import { followTo, newMlsGroupOf, newPeople, proposalsReach } from "../../support/mls-groups.ts";
import { newUser } from "../../support/users.ts";

const hex = (suite: number) => `0x${suite.toString(16).padStart(4, "0")}`;
const suites = [...schemes.keys()];
/** A suite whose keys are of another kind. */
const otherThan = (suite: number) => (schemes.get(suite) === "ed25519" ? 2 : 1);

const keyPackagesOf = ({ clientId, token }: { clientId: string; token: string }) => {
  const path = `/v8/mls/key-packages/self/${clientId}`;
  const send = (method: string, query: string, ...key_packages: readonly string[]) =>
    api(method, `${path}${query}`, { token, json: { key_packages } });
  return {
    send,
    count: async (suite: number) =>
      (await api("GET", `${path}/count?ciphersuite=${hex(suite)}`, { token })).body.count,
  };
};

describe.concurrent.each(suites)("cipher suite %i", (suite) => {
  it("has key packages that are uploaded, replaced, counted, deleted and claimed without those of others", async () => {
    const device = await newMlsDevice(await newUser());
    const { send, count } = keyPackagesOf(device);
    const others = suites.filter((other) => other !== suite);
    const make = (one: number) => device.make({ suite: one });
    await send("POST", "", ...(await Promise.all([...others, suite, suite, suite].map(make))));
    expect(await count(suite)).toBe(3);

    const [kept, deleted] = [await make(suite), await make(suite)];
    const ofSuite = `?ciphersuites=${hex(suite)}`;
    expect(outcome(await send("PUT", ofSuite, await make(otherThan(suite))))).toBe("400 mls-protocol-error");
    expect(outcome(await send("PUT", ofSuite, kept, deleted))).toBe("201");
    const reference = (await referenceOf(Buffer.from(deleted, "base64"))).toString("base64");
    expect(outcome(await send("DELETE", `?ciphersuite=${hex(otherThan(suite))}`, reference))).toBe("201");
    expect(await count(suite)).toBe(2);
    expect(outcome(await send("DELETE", `?ciphersuite=${hex(suite)}`, reference))).toBe("201");

    const { token } = await newUser();
    const path = `/v8/mls/key-packages/claim/${domain}/${device.identity.replace(/:.*/, "")}`;
    const { body } = await api("POST", `${path}?ciphersuite=${hex(suite)}`, { token });
    expect(body.key_packages).toMatchObject([{ key_package: kept }]);
    expect(await count(suite)).toBe(0);
    for (const other of others) expect(await count(other)).toBe(1);
  });

  it("is refused to a device that has only keys of other kinds", async () => {
    const registered = [...schemes.values()].filter((scheme) => scheme !== schemes.get(suite));
    const device = await newMlsDevice(await newUser(), { registered });
    const { send, count } = keyPackagesOf(device);
    const answer = await send("POST", "", await device.make({ suite }));
    expect(outcome(answer)).toBe("400 mls-protocol-error");
    expect(outcome(await send("POST", "", await device.make({ suite: otherThan(suite) })))).toBe("201");
    expect(await count(suite)).toBe(0);
  });

  it("accepts proposals of members, which others commit", async () => {
    const [ada, bob, cleo] = await newPeople(3, suite);
    await newMlsGroupOf(ada, bob, cleo);
    const proposal = await bob.propose(removal(cleo.leafIndex));
    expect(outcome(await bob.post("/v9/mls/messages", proposal))).toBe("201");
    await proposalsReach(ada, 1);
    const { body } = await ada.mustCommit();
    expect(body.events).toMatchObject([
      { type: "conversation.member-leave", data: { user_ids: [cleo.user.id] } },
    ]);
    await followTo(bob, 2);
    expect(await bob.exported()).toBe(await ada.exported());
  });

  it("gives way to another one when the group is reset", async () => {
    const [ada, bob] = await newPeople(2, suite);
    const { id, groupId } = await newMlsGroupOf(ada, bob);
    const other = otherThan(suite);
    const tablet = await newMlsClient(ada.user, { suite: other });
    const json = { group_id: groupId, epoch: 1 };
    const { token } = bob.user;
    expect(outcome(await api("POST", "/v9/mls/reset-conversation", { token, json }))).toBe("200");
    const read = async () => (await api("GET", `/v9/conversations/${localDomain}/${id}`, { token })).body;
    await tablet.create((await read()).group_id);
    expect((await tablet.mustCommit(...(await tablet.additionsOf(bob.user)))).status).toBe(201);
    expect(await read()).toMatchObject({ epoch: 1, cipher_suite: other });
  });
});
