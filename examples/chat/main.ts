import type { Person } from "./account.ts";
import { byId, element } from "./element.ts";
import { showStart } from "./start.ts";
import { openWindow } from "./window.ts";

/** Configuration from the server of these pages; everything else comes from the public API. */
export interface Setup {
  /** People of the demonstration, who all have the same password. */
  readonly people: readonly Person[];
  readonly password: string;
  /** Address of the console, where operators see requests; absent on another machine. */
  readonly consoleUrl?: string;
  /** Address of the start page for other machines, if they can reach it. */
  readonly networkUrl?: string;
}

function fail(error: unknown): void {
  console.info(error);
  byId("failure").textContent = error instanceof Error ? error.message : String(error);
  byId("failure").hidden = false;
}

async function open(): Promise<void> {
  const setup: Setup = await (await fetch("/setup.json")).json();
  const { consoleUrl } = setup;
  if (consoleUrl !== undefined)
    byId("links").append(element("a", { href: consoleUrl, textContent: "Console", target: "_blank" }));
  const [, email] = /^\/people\/([^/]+)$/.exec(location.pathname) ?? [];
  if (email === undefined) showStart(setup);
  else await openWindow(email, setup, fail);
}

open().catch(fail);
