// Runs a bot that echoes messages, with a Parley on this machine: npm run echo-bot -- [options]
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { serveBots } from "./bot.ts";
import { newIdentity } from "./certificate.ts";
import { register } from "./register.ts";

const { values } = parseArgs({
  options: {
    /** Public API of Parley. */
    url: { type: "string", default: "http://127.0.0.1:8080" },
    /** Internal API of Parley. */
    internal: { type: "string", default: "http://127.0.0.1:8081" },
    /** Port of the bot; 0: any. */
    port: { type: "string", default: "0" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log("usage: npm run echo-bot -- [--url PUBLIC-API] [--internal INTERNAL-API] [--port N]");
  process.exit();
}
const isThere = await fetch(`${values.url}/api-version`).then(
  ({ ok }) => ok,
  () => false,
);
if (!isThere) {
  console.error(
    `No Parley answers at ${values.url}. Start one in another terminal (npm start), or name another one with --url.`,
  );
  process.exit(1);
}
const identity = newIdentity();
const authToken = randomBytes(18).toString("base64url");
const { port } = await serveBots({ baseUrl: values.url, authToken, identity, port: Number(values.port) });
const registration = await register(
  { baseUrl: values.url, internalUrl: values.internal },
  { serviceUrl: `https://127.0.0.1:${port}`, publicKey: identity.publicKey, authToken },
);
console.log(
  `The bot is running. Add it to one of your groups with this body of POST /bot/conversations/<id>:`,
);
console.log(JSON.stringify(registration));
