import { Pane } from "./chat/pane.ts";
import { Person } from "./chat/person.ts";
import { ServiceView } from "./chat/service-view.ts";
import { byId } from "./element.ts";

const view = new ServiceView(byId("seen"));
const panes = [new Pane("Ada"), new Pane("Ben")] as const;
let people: readonly Person[] = [];
const start = byId<HTMLButtonElement>("start");

function tell(step: string): void {
  byId("step").textContent = step;
}

function fail(error: unknown): void {
  byId("failure").textContent = error instanceof Error ? error.message : String(error);
  byId("failure").hidden = false;
}

function signUp(pane: Pane): Promise<Person> {
  return Person.signUp(pane.name, {
    called: (call) => view.addCall(pane.name, call),
    received: (event) => view.addEvent(pane.name, event),
    read: (text) => pane.show(text, "theirs"),
    failed: fail,
  });
}

async function startChat(): Promise<void> {
  for (const person of people) person.leave();
  for (const pane of panes) pane.reset();
  view.clear();
  byId("failure").hidden = true;
  byId("chat").hidden = false;
  tell("Ada and Ben register, and each gets a device with keys.");
  const [ada, ben] = await Promise.all([signUp(panes[0]), signUp(panes[1])]);
  people = [ada, ben];
  const { publicUrl } = await (await fetch("/addresses")).json();
  await Promise.all([ada.listen(publicUrl), ben.listen(publicUrl)]);
  tell("They connect, and Ada adds Ben to an MLS group.");
  await ada.connectWith(ben);
  await ada.converseWith(ben);
  await ben.joined();
  panes[0].open((text) => ada.write(text), fail);
  panes[1].open((text) => ben.write(text), fail);
  tell("Type in one pane: the text appears in the other.");
  panes[0].focus();
}

start.addEventListener("click", async () => {
  start.disabled = true;
  start.textContent = "Starting …";
  try {
    await startChat();
  } catch (error) {
    tell("");
    fail(error);
  }
  start.disabled = false;
  start.textContent = "Start again";
});
